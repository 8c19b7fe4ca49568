#!/usr/bin/env bash
# hostprof record as a user runs it: the summary, the file, who is in it, exit
# codes, signals, bad input.
. "$(dirname "$0")/../lib.sh"
need_root
cd "$SCRATCH" || exit 1

rows() { "$HOSTPROF" report "$1" --by "$2" -n 0 --format json "${@:3}"; }

# The whole host, a known program in it.
background "$TARGETS/shares" 30
background "$TARGETS/shares" 30 2
out=$("$HOSTPROF" record -F 499 -d 2 -o host.pb.gz 2>err)
expect "exit status of a whole recording" 0 $?
expect "silent on standard error" "" "$(cat err)"
expect_match "summary names host, time, event" '^[^ ]+, 2\.[0-9] s from 20[0-9-]+T.*Z, [0-9]+ CPUs?, .* at 499 Hz' "$out"
expect_match "summary: cpu line" '^cpu +[0-9.]+ of [0-9.]+ s busy' "$out"
expect_match "summary: trust line" '^trust +[0-9,]+ samples, 0 lost, 0 throttled' "$out"
expect_match "summary: containers, processes, functions" 'CONTAINER' "$out"
expect_match "summary: the program" '^shares +[0-9]+ ' "$out"
expect_match "summary: its functions" 'spin_half' "$out"
expect "the file is private" 600 "$(stat -c %a host.pb.gz)"

json=$(rows host.pb.gz function --comm shares)
for name in spin_half spin_third spin_fifth; do
	expect "function $name is there, once" 1 "$(jq "[.rows[] | select(.function == \"$name\")] | length" <<<"$json")"
done
expect "half > third > fifth" true "$(jq '[.rows[] | select(.function | test("^spin_")) | {(.function): .self_ns}] | add | .spin_half > .spin_third and .spin_third > .spin_fifth' <<<"$json")"
expect "spin functions' self is nearly all of the program" true "$(jq '([.rows[] | select(.function | test("^spin_")) | .self_ns] | add) / ([.rows[].self_ns] | add) > 0.8' <<<"$json")"
expect "main's total holds the spin functions" true "$(jq '([.rows[] | select(.function == "main") | .total_ns][0]) >= ([.rows[] | select(.function == "spin_half") | .total_ns][0])' <<<"$json")"
json=$(rows host.pb.gz process)
expect "two processes of that name" 2 "$(jq '[.rows[] | select(.process.comm == "shares")] | length' <<<"$json")"
expect "effective cores of each: its CPU time in the window, at most 1" true "$(jq '.duration_s as $wall | [.rows[] | select(.process.comm == "shares")] | all(.cores > 0 and .cores < 1.05 and (.cores - .self_ns / 1e9 / $wall | fabs) < 0.1)' <<<"$json")"
expect "run-queue time, blocked time and threads are told" true "$(jq '[.rows[] | select(.process.comm == "shares")] | all(.runqueue_s >= 0 and .blocked_s >= 0 and .threads == 1)' <<<"$json")"

# JSON's trust block.
expect "sampled and kernel CPU time agree within 10 %" true "$(jq '.health | (.sampled_cpu_s / .kernel_cpu_s) > 0.9 and (.sampled_cpu_s / .kernel_cpu_s) < 1.1' <<<"$json")"
expect "samples near what was expected" true "$(jq '.health | (.samples / .expected) > 0.9 and (.samples / .expected) < 1.1' <<<"$json")"
expect "own CPU time is counted" true "$(jq '.health.own_cpu_s > 0' <<<"$json")"
expect "named frames are counted" true "$(jq '.health.frames_named > 0' <<<"$json")"
expect "every frame of a program with symbols has its name" 0 "$(rows host.pb.gz function --comm shares | jq '[.rows[] | select(.function | startswith("["))] | length')"

# A command: its exit status, its first function, nothing after it.
"$HOSTPROF" record -q -o cmd.pb.gz -- sh -c 'exit 7'
expect "exit status of the command" 7 $?
"$HOSTPROF" record -q -o cmd.pb.gz -- sh -c 'kill -9 $$'
expect "exit status of a killed command" 137 $?
out=$("$HOSTPROF" record -q -o none.pb.gz -- /no/such/program 2>&1)
expect "a command that is not there: exit 1" 1 $?
expect_match "a command that is not there: said" 'cannot run /no/such/program: No such file' "$out"
expect "a command that is not there: no file" no "$([ -e none.pb.gz ] && echo yes || echo no)"

# Signals end it with everything written.
for signal in INT TERM; do
	"$HOSTPROF" record -o "$signal.pb.gz" >"$signal.out" 2>&1 &
	pid=$!
	sleep 1.5
	kill -$signal $pid
	wait $pid
	expect "SIG$signal: exit 0" 0 $?
	expect_match "SIG$signal: summary" '^trust' "$(cat $signal.out)"
	expect "SIG$signal: samples in the file" true "$(rows $signal.pb.gz process | jq '.health.samples > 50')"
done

# Filters.
pid=${lib_pids[0]}
"$HOSTPROF" record -q -F 499 -d 1 -p "$pid" -o pid.pb.gz
expect "-p keeps one process" "[$pid]" "$(rows pid.pb.gz process | jq -c '[.rows[] | select(.samples > 0) | .process.pid]')"
"$HOSTPROF" record -q -F 499 -d 1 --comm shares -o comm.pb.gz
expect "--comm keeps both" '["shares"]' "$(rows comm.pb.gz comm | jq -c '[.rows[] | select(.samples > 0) | .comm] | unique')"

# No callchains.
"$HOSTPROF" record -q -F 499 -d 1 -g none --comm shares -o none.pb.gz
expect "-g none: total is self" true "$(rows none.pb.gz function --no-inline | jq '[.rows[] | .total_ns == .self_ns] | all')"

# Other events.
out=$("$HOSTPROF" record -d 1 -e cpu-clock:u -F 499 --comm shares -o user.pb.gz)
expect "cpu-clock:u sees no kernel" '["user"]' "$(rows user.pb.gz state | jq -c '[.rows[].state]')"
"$HOSTPROF" record -q -d 1 -e page-faults -c 1 -o faults.pb.gz
expect "page faults by period: exit 0" 0 $?
out=$("$HOSTPROF" record -d 1 -e cylces 2>&1)
expect "unknown event: exit 1" 1 $?
expect_match "unknown event: the nearest names" "'cylces' is not known here; nearest: cycles" "$out"

# Bad output.
out=$("$HOSTPROF" record -d 0.2 -o /no/such/dir/x.pb.gz 2>&1)
expect "unwritable directory: exit 1" 1 $?
expect_match "unwritable directory: names the file" '/no/such/dir/x.pb.gz' "$out"
ln -s "$SCRATCH/target" /tmp/hostprof-link.$$.pb.gz
"$HOSTPROF" record -q -d 0.2 -o /tmp/hostprof-link.$$.pb.gz >/dev/null 2>&1
expect "a symbolic link in /tmp is not followed" no "$([ -e "$SCRATCH/target" ] && echo yes || echo no)"
rm -f /tmp/hostprof-link.$$.pb.gz
out=$("$HOSTPROF" record -d 0.2 -o - | gzip -t 2>&1 && echo whole)
expect "standard output takes the profile" whole "$out"

# Not permitted.
chmod 755 "$SCRATCH"
cp "$HOSTPROF" hp && chmod 755 hp
out=$(setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all ./hp record -d 0.2 -o /dev/null 2>&1)
expect "not permitted: exit 3" 3 $?
expect_match "not permitted: level, capability, command" 'perf_event_paranoid is [0-9]+.*CAP_PERFMON.*setcap' "$out"
