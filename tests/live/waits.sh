#!/usr/bin/env bash
# record --off-cpu against programs that know how long they waited, and why.
# Bounds are wide: a loaded machine makes waits longer, by the time from being
# woken to running, and records tell of time that a program does not count.
. "$(dirname "$0")/../lib.sh"
need_root
cd "$SCRATCH" || exit 1

# seconds FILE METRIC STATE COMM
seconds() {
	"$HOSTPROF" report "$1" --by state --metric "$2" --comm "$4" -n 0 --format json 2>/dev/null |
		jq "[.rows[] | select(.state == \"$3\") | .self_ns] | add // 0 | . / 1e9"
}
# record FILE COMMAND…: what the command prints goes to FILE.out.
record() { "$HOSTPROF" record --off-cpu -q -o "$1" "${@:2}" >"$1.out"; }
own() { awk -v key="$2" '{for (i = 1; i < NF; i++) if ($i == key) print $(i + 1)}' "$1.out"; }
near() { awk -v a="$2" -v low="$3" -v high="$4" 'BEGIN {print a * low - 0.05, a * high + 0.1}' | { read -r low high; expect_between "$1" "$low" "$high" "$5"; }; }

# One mutex for eight threads, and one for each.
for kind in shared own; do
	record $kind.pb.gz -- "$TARGETS/lock" $kind 200
	lock=$(own $kind.pb.gz lock)
	near "$kind: the mutex's wait is the program's own figure ($lock s)" "$lock" 0.9 1.1 "$(seconds $kind.pb.gz wait mutex lock)"
	wall=$(own $kind.pb.gz wall)
	sum=$("$HOSTPROF" report $kind.pb.gz --by process --metric wall --comm lock -n 0 --format json | jq '[.rows[].self_ns] | add / 1e9')
	expect_between "$kind: nine threads' lives are their wall time" "$(jq -n "$wall * 7")" "$(jq -n "$wall * 9 + 1")" "$sum"
done
json=$("$HOSTPROF" report shared.pb.gz --by function --metric wait --comm lock -n 0 --format json)
for name in critical pthread_mutex_lock; do
	expect "the wait's stack names $name, without frame pointers in glibc" true "$(jq "([.rows[] | select(.function == \"$name\") | .total_ns] | add) / ([.rows[].self_ns] | add) > 0.5" <<<"$json")"
done
expect "more waits than work where the mutex is shared" true "$(jq -n "$(seconds shared.pb.gz wait mutex lock) > $(seconds shared.pb.gz cpu user lock)")"
expect_no_match "no thread has waited longer than the window" 'longer than the window' "$("$HOSTPROF" report shared.pb.gz 2>&1)"
expect_match "the trust block says how much stacks stand for" '^note +off-CPU: [0-9.]+ s of at most [0-9.]+ s \([0-9]+ threads x wall\)' "$("$HOSTPROF" report shared.pb.gz 2>&1)"

# Thinned as far as it goes, the thread's sums stay what they were.
"$HOSTPROF" record --off-cpu --off-cpu-budget 0.01 -q -o thin.pb.gz -- "$TARGETS/lock" shared 200 >thin.pb.gz.out
near "thinned: all waits of the program" "$(own thin.pb.gz lock)" 0.9 1.3 "$("$HOSTPROF" report thin.pb.gz --by process --metric wait --comm lock -n 0 --format json | jq '[.rows[].self_ns] | add / 1e9')"

# Each kind of wait.
dd if=/dev/urandom of=data bs=1M count=16 status=none
sync data
while read -r kind state file; do
	record $kind.pb.gz -- "$TARGETS/waiting" $kind 1 $file
	near "$kind: time in state $state" "$(own $kind.pb.gz waited)" 0.6 1.4 "$(seconds $kind.pb.gz wait $state waiting)"
done <<END
sleep sleep
poll poll
epoll poll
pipe pipe
socket socket
child child
condition condition
semaphore semaphore
END
# A disk may be memory here: what was waited for it stands against all states.
for kind in fsync direct fault; do
	state=io
	[ $kind = fault ] && state=fault
	record $kind.pb.gz -- "$TARGETS/waiting" $kind 1 data
	expect "$kind: most of what was waited is $state" true "$("$HOSTPROF" report $kind.pb.gz --by state --metric wait --comm waiting -n 0 --format json | jq "([.rows[] | select(.state == \"$state\") | .self_ns] | add // 0) / ([.rows[].self_ns] | add) > 0.5")"
done
record yield.pb.gz -- "$TARGETS/waiting" yield 1
expect "yield: on the run queue, not blocked" true "$(jq -n "$(seconds yield.pb.gz runqueue runnable waiting) > 3 * $(seconds yield.pb.gz wait sleep waiting)")"

# Preempted by a competitor on the same CPU.
background taskset -c 0 nice -n -5 "$TARGETS/burn" 60
"$HOSTPROF" record --off-cpu -q -o preempted.pb.gz -- taskset -c 0 "$TARGETS/shares" 1 >/dev/null
expect "preempted: more on the run queue than on the CPU" true "$(jq -n "$(seconds preempted.pb.gz runqueue runnable shares) > $(seconds preempted.pb.gz cpu user shares)")"

# A thread that never runs is blocked for all of the window.
background sleep 1000
"$HOSTPROF" record --off-cpu -q -o never.pb.gz -d 1
json=$("$HOSTPROF" report never.pb.gz --by process,state,function --metric wait --pid "${lib_pids[-1]}" -n 0 --format json)
expect "a thread that never ran: blocked for the window, in its reason" true "$(jq '.duration_s as $wall | [.rows[] | select(.state == "sleep") | .self_ns] | add / 1e9 / $wall | . > 0.9 and . < 1.1' <<<"$json")"
expect "and in its kernel stack" true "$(jq '[.rows[].function] | any(. == "[never ran]") and any(test("nanosleep"))' <<<"$json")"

# What was not recorded is not shown.
"$HOSTPROF" record -q -o none.pb.gz -d 0.2
out=$("$HOSTPROF" report none.pb.gz --metric wait 2>&1)
expect "without --off-cpu there is no wait: exit 1" 1 $?
expect_match "without --off-cpu there is no wait: said" "no 'wait' was recorded" "$out"
