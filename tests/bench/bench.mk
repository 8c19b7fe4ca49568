# Timing and statistics: never part of `make test`. docs/measurements.md keeps
# what they printed, with the machine.

bench: all targets ## what recording costs, beside perf record
	@tests/bench/cost.sh

bench-truth: all targets ## do the intervals hold the truth?
	@tests/bench/truth.sh

bench-recorder: all targets ## accuracy, losses, latency and memory of a recording
	@tests/bench/recorder.sh

bench-perfdata: all ## reading perf.data beside perf report (NEW_PERF: a newer perf)
	@tests/bench/perfdata.sh

.PHONY: bench bench-truth bench-recorder bench-perfdata

bench-pprof: $(BUILD)/bench/pprof ## writing and reading profiles of 10,000 to 1,000,000 rows
	@for rows in 10000 100000 1000000; do $< $$rows || exit 1; done

.PHONY: bench-pprof

bench-system: $(BUILD)/bench/system ## maps of 60,000 mappings, accounting of 1,000 processes
	@$<

.PHONY: bench-system

bench-lines: $(BUILD)/bench/lines ## names and lines of 20,000 addresses, beside llvm-symbolizer
	@tests/bench/lines.sh

bench-names: all targets ## the right leaf for 25 kinds of program, beside perf (root)
	@tests/bench/names.sh

.PHONY: bench-lines bench-names

bench-group: $(BUILD)/bench/group ## reports of a million rows and 200,000 stacks
	@$<

.PHONY: bench-group

$(BUILD)/bench/scale: tests/bench/scale.c tests/unit/fake_sys.c $(LIBRARY)
	@mkdir -p $(@D)
	$(call quiet,BENCH $@)$(CC) $(ALL_CFLAGS) -Itests/unit -MMD -MP -MF $@.d -o $@ $< tests/unit/fake_sys.c $(LIBRARY) $(LIBS)

bench-scale: $(BUILD)/bench/scale ## unwound samples a second on one core, 64 faked rings (root)
	@printf '%s\n' '#include <bits/stdc++.h>' 'std::regex r("a|b");' 'int main() {}' >$(BUILD)/bench/scale.cc
	@perf record -B -q -F 2000 -e cpu-clock --call-graph dwarf,16384 -m 32M -o $(BUILD)/bench/scale.data -- \
		$$(g++ -print-prog-name=cc1plus) -quiet -O2 -D_GNU_SOURCE -imultiarch $$(gcc -print-multiarch) \
		$(BUILD)/bench/scale.cc -o /dev/null 2>/dev/null
	@$< $(BUILD)/bench/scale.data 100000
	@rm -f $(BUILD)/bench/scale.data

.PHONY: bench-scale

bench-page: all programs ## the flame graph page, beside d3-flame-graph
	@tests/bench/page.sh

.PHONY: bench-page
