#!/usr/bin/env bash
# What recording costs, beside perf record on the same busy machine: CPU
# seconds of the recorder for each sample (user and system, all processes it
# starts), and peak memory. In turn, RUNS times; medians.
# usage: cost.sh [RUNS [SECONDS [HZ]]]
set -eu
cd "$(dirname "$0")/../.."
runs=${1:-5} seconds=${2:-10} hz=${3:-999}
scratch=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null; rm -rf "$scratch"' EXIT
for cpu in $(seq 0 $(($(nproc) - 1))); do
	taskset -c "$cpu" build/targets/shares 100000 "$cpu" >/dev/null &
	pids+=($!)
done

for ((run = 0; run < runs; run++)); do
	/usr/bin/time -f '%U %S %M' -o "$scratch/time" ./hostprof record -g fp -F "$hz" -d "$seconds" -q -o "$scratch/h.pb.gz"
	n=$(./hostprof report "$scratch/h.pb.gz" --format json | jq .health.samples)
	awk -v n="$n" '{printf "%.3f %d %d\n", ($1 + $2) * 1e6 / n, $3, n}' "$scratch/time" >>"$scratch/hostprof"
	rm -f "$scratch/p.data"
	/usr/bin/time -f '%U %S %M' -o "$scratch/time" perf record -q -a -g -F "$hz" -o "$scratch/p.data" -- sleep "$seconds" 2>/dev/null
	n=$(perf script -i "$scratch/p.data" -F pid 2>/dev/null | grep -c .)
	tail -1 "$scratch/time" | awk -v n="$n" '{printf "%.3f %d %d\n", ($1 + $2) * 1e6 / n, $3, n}' >>"$scratch/perf"
done
median() { sort -n | awk '{v[NR] = $1} END{print v[int((NR + 1) / 2)]}'; }
printf '%-10s %14s %12s %10s\n' recorder "us a sample" "peak kB" samples
for name in hostprof perf; do
	printf '%-10s %14s %12s %10s\n' "$name" "$(cut -d' ' -f1 "$scratch/$name" | median)" \
		"$(cut -d' ' -f2 "$scratch/$name" | median)" "$(cut -d' ' -f3 "$scratch/$name" | median)"
done
paste -d' ' "$scratch/hostprof" "$scratch/perf" | awk '{print $1 / $4}' | median | sed 's/^/hostprof : perf, CPU a sample, median of pairs: /'
