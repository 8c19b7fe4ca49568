#!/usr/bin/env bash
# A recording's file tells what the recording told, and an export of it again:
# nothing that a report prints is lost on the way through pprof.
. "$(dirname "$0")/../lib.sh"
need_root

background sh -c 'while :; do :; done'
first=$SCRATCH/first.pb.gz second=$SCRATCH/second.pb.gz
summary=$("$HOSTPROF" record -d 2 -o "$first" 2>"$SCRATCH/said") ||
	skip_all "no recording here: $(head -1 "$SCRATCH/said")"
# All but "written to FILE". diff, not expect: it would print both.
if diff <(sed '/^written to /d' <<<"$summary" | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}') \
	<("$HOSTPROF" report "$first") >"$SCRATCH/diff"; then
	ok file_says_what_the_recording_said
else
	not_ok file_says_what_the_recording_said "$(head -5 "$SCRATCH/diff" | tr '\n' '~')"
fi

"$HOSTPROF" export "$first" --to pprof -o "$second"
expect export_again 0 $?
report() { "$HOSTPROF" report "$2" --by "$1" -n 0 --format json; }
for keys in process container thread comm user cpu state slice,function module,line container,process,function; do
	if cmp -s <(report $keys "$first") <(report $keys "$second"); then
		ok "same_by_$keys"
	else
		not_ok "same_by_$keys" "$(diff <(report $keys "$first") <(report $keys "$second") | head -3 | tr '\n' '~')"
	fi
done

folded() { "$HOSTPROF" export "$first" --to folded --per "$1" -o - | awk '{sum += $NF} END {printf "%.0f\n", sum}'; }
total() { "$HOSTPROF" report "$first" --by state -n 0 --format json | jq '[.rows[].self_ns] | add'; }
for per in none comm process container; do
	expect "folded_total_per_$per" "$(total)" "$(folded $per)"
done
"$HOSTPROF" export "$first" --to speedscope -o "$SCRATCH/x.json"
expect speedscope_total "$(total)" "$(jq '[.profiles[].weights[]] | add' "$SCRATCH/x.json")"
"$HOSTPROF" export "$first" --to firefox -o "$SCRATCH/x.json"
expect firefox_total "$(total)" "$(jq '[.threads[].samples.threadCPUDelta[]] | add' "$SCRATCH/x.json")"
