#!/usr/bin/env bash
# The recorder's promises on a busy machine: sampled CPU time beside the
# kernel's accounting, forced loss, how soon it samples and how soon the file
# is there with 1,000 processes alive, and memory over a minute of short
# processes. Prints figures; RUNS of each, medians.
# usage: recorder.sh [RUNS]
set -eu
cd "$(dirname "$0")/../.."
runs=${1:-5}
scratch=$(mktemp -d)
pids=()
trap '[ ${#pids[@]} -eq 0 ] || kill "${pids[@]}" 2>/dev/null; pkill -f "sleep 98765" 2>/dev/null; rm -rf "$scratch"' EXIT
spread() { sort -n | awk '{v[NR] = $1} END{printf "%s (%s to %s, %d runs)\n", v[int((NR + 1) / 2)], v[1], v[NR], NR}'; }
health() { ./hostprof report "$scratch/x.pb.gz" --format json | jq "$1"; }

for cpu in $(seq 0 $(($(nproc) - 1))); do
	taskset -c "$cpu" build/targets/shares 100000 "$cpu" >/dev/null &
	pids+=($!)
done
for _ in $(seq "$runs"); do
	./hostprof record -q -d 10 -F 999 -o "$scratch/x.pb.gz"
	health '.health | .sampled_cpu_s / .kernel_cpu_s' >>"$scratch/cpu"
done
echo "sampled CPU seconds / kernel's, 10 s at 999 Hz, all CPUs busy: $(spread <"$scratch/cpu")"

for _ in $(seq "$runs"); do
	./hostprof record -q -g none -d 3 -F 20000 -m 1 -o "$scratch/x.pb.gz" &
	pid=$!
	sleep 1.5
	kill -STOP $pid
	sleep 0.2
	kill -CONT $pid
	wait $pid
	health '.health | (.samples + .lost) / .expected' >>"$scratch/loss"
done
echo "(samples + lost) / expected, one-page rings at 20 kHz, reader stopped 200 ms: $(spread <"$scratch/loss")"

for _ in $(seq 1000); do sleep 98765 & done 2>/dev/null
for _ in $(seq "$runs"); do
	begin=$(date +%s%N)
	./hostprof record -q -d 2 -F 999 -o "$scratch/x.pb.gz"
	end=$(date +%s%N)
	start=$(date -d "$(health .start | tr -d '"')" +%s%N)
	duration=$(health '.duration_s * 1e9 | floor')
	echo $(((start - begin) / 1000000)) >>"$scratch/first"
	echo $(((end - start - duration) / 1000000)) >>"$scratch/written"
done
echo "ms from exec to sampling, 1,000 processes alive: $(spread <"$scratch/first")"
echo "ms from the window's end to exit, file written: $(spread <"$scratch/written")"
pkill -f "sleep 98765" || true
kill "${pids[@]}"
pids=()

./hostprof record -q -d 60 -F 999 -o "$scratch/x.pb.gz" &
pid=$!
build/targets/brief 58 100 >"$scratch/brief" &
for second in 15 30 45 57; do
	sleep $((second == 15 ? 15 : second == 57 ? 12 : 15))
	awk -v at="$second" '/VmRSS/{printf "%s s: %d kB  ", at, $2}' /proc/$pid/status
done
wait $pid
echo "resident while $(cat "$scratch/brief") short processes ran; peak $(health '.health.own_peak_bytes // 0 | . / 1048576 | floor') MB"
