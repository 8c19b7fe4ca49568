#!/usr/bin/env bash
# What goes wrong while recording is counted and said: a ring too small (C48),
# a CPU that goes and comes (C49), processes that are gone before anyone looks
# (C18), a process table full of sleepers.
. "$(dirname "$0")/../lib.sh"
need_root
cd "$SCRATCH" || exit 1
cpu1=/sys/devices/system/cpu/cpu1/online
cleanup() { [ ! -w $cpu1 ] || echo 1 >$cpu1; pkill -f "sleep 54321" 2>/dev/null; }
report() { "$HOSTPROF" report "$@" --format json; }

for cpu in $(seq "$(nproc)"); do background "$TARGETS/shares" 100 "$cpu"; done

# One page at 20 kHz, the reader stopped for 200 ms.
"$HOSTPROF" record -g none -d 3 -F 20000 -m 1 -o loss.pb.gz >loss.out 2>&1 &
pid=$!
sleep 1.5
kill -STOP $pid
sleep 0.2
kill -CONT $pid
wait $pid
json=$(report loss.pb.gz)
expect "C48: samples were lost" true "$(jq '.health.lost > 4000' <<<"$json")"
expect_between "C48: samples + lost = expected" 0.9 1.1 "$(jq '.health | (.samples + .lost) / .expected' <<<"$json")"
expect_match "C48: the summary says so" '^trust .* [1-9][0-9,]* lost' "$(cat loss.out)"

# The same without a stop and with rings by need: nothing lost.
"$HOSTPROF" record -d 2 -F 999 -q -o whole.pb.gz
json=$(report whole.pb.gz)
expect "no loss at 999 Hz with default rings" 0 "$(jq .health.lost <<<"$json")"
expect_between "sampled CPU time beside the kernel's" 0.9 1.1 "$(jq '.health | .sampled_cpu_s / .kernel_cpu_s' <<<"$json")"

if [ -w $cpu1 ]; then
	"$HOSTPROF" record -d 6 -F 199 -o gap.pb.gz >gap.out 2>&1 &
	pid=$!
	sleep 1
	echo 0 >$cpu1
	sleep 1.5
	echo 1 >$cpu1
	sleep 1
	taskset -c 1 "$TARGETS/shares" 1 7 >/dev/null
	wait $pid
	expect "C49: going offline does not end the recording" 0 $?
	expect_match "C49: the gap is said" 'CPU 1 was away for [12]\.[0-9] s' "$(cat gap.out)"
	expect_between "C49: sampled again when it is back" 20 100000 \
		"$(report gap.pb.gz --by slice,cpu -n 0 --from 4 | jq '[.rows[] | select(.cpu == 1) | .samples] | add')"
	echo 0 >$cpu1
	"$HOSTPROF" record -d 1 -q -o one.pb.gz
	expect "C49: starts with a CPU offline" 0 $?
	echo 1 >$cpu1
	expect "C49: one CPU is counted" "$(($(nproc) - 1))" "$(report one.pb.gz | jq .cpus)"
else
	skip "C49" "CPU 1 cannot be taken offline here"
fi

# 100 processes a second of 5 ms each, their files deleted at once.
"$HOSTPROF" record -F 999 -q -o brief.pb.gz -- "$TARGETS/brief" 5 100 >brief.out
expect_between "C18: processes were run" 50 1000 "$(cat brief.out)"
json=$(report brief.pb.gz --by function --comm briefling -n 0)
expect_between "C18: brieflings were sampled" 100 100000 "$(jq '[.rows[].samples] | add' <<<"$json")"
expect_between "C18: their samples have named functions" 0.99 1 \
	"$(jq '([.rows[] | select(.function | startswith("[") | not) | .samples] | add) / ([.rows[].samples] | add)' <<<"$json")"
expect_between "C18: most are in brief_spin" 0.5 1 \
	"$(jq '([.rows[] | select(.function == "brief_spin") | .total_ns] | add) / ([.rows[].self_ns] | add)' <<<"$json")"

# 1,000 sleeping processes: neither start nor end gets slow.
for _ in $(seq 1000); do sleep 54321 & done 2>/dev/null
begin=$(date +%s%N)
"$HOSTPROF" record -d 1 -F 999 -q -o many.pb.gz
end=$(date +%s%N)
expect_between "1,000 processes: ready within a second of the window's end" 1000 2500 $(((end - begin) / 1000000))
expect_between "1,000 processes: sampled from the first slices on" 1 100000 \
	"$(report many.pb.gz --by slice -n 0 | jq '[.rows[] | select(.slice == 1) | .samples] | add')"
