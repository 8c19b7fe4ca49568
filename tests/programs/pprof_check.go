// pprof_check FILE…: reads profiles with Google's own package, checks them as
// strictly as it can, and prints what is in them, one fact a line.
package main

import (
	"fmt"
	"os"
	"sort"

	"github.com/google/pprof/profile"
)

func fail(format string, arguments ...interface{}) {
	fmt.Fprintf(os.Stderr, format+"\n", arguments...)
	os.Exit(1)
}

func read(path string) *profile.Profile {
	file, err := os.Open(path)
	if err != nil {
		fail("%v", err)
	}
	defer file.Close()
	p, err := profile.Parse(file)
	if err != nil {
		fail("%s: %v", path, err)
	}
	if err := p.CheckValid(); err != nil {
		fail("%s: %v", path, err)
	}
	return p
}

func print(p *profile.Profile) {
	totals := make([]int64, len(p.SampleType))
	labels := map[string]int64{}
	for _, sample := range p.Sample {
		for i, value := range sample.Value {
			totals[i] += value
		}
		for key, values := range sample.Label {
			labels[key+"="+values[0]] += sample.Value[0]
		}
	}
	for i, kind := range p.SampleType {
		fmt.Printf("total %s/%s %d\n", kind.Type, kind.Unit, totals[i])
	}
	fmt.Printf("default %s period %d time %d duration %d\n",
		p.DefaultSampleType, p.Period, p.TimeNanos, p.DurationNanos)
	names := []string{}
	for name := range labels {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Printf("label %s %d\n", name, labels[name])
	}
	for _, mapping := range p.Mapping {
		fmt.Printf("mapping %s %s %v %v\n", mapping.File, mapping.BuildID,
			mapping.HasFunctions, mapping.HasInlineFrames)
	}
	for i, location := range p.Location {
		if location.ID != uint64(i+1) {
			fail("location %d has the id %d", i+1, location.ID)
		}
		if len(location.Line) == 0 {
			fail("location %d has no line", i+1)
		}
	}
}

func main() {
	for _, path := range os.Args[1:] {
		print(read(path))
	}
}
