#!/usr/bin/env bash
# make bench-names: programs of many kinds (tests/names.sh), in one run recorded
# by us, the whole host, and by one perf record each: the share of a program's
# samples in user code whose leaf has the right name. "aborted": perf script
# did (6.1 with assertions about build-ids and a smashed stack).
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/names.sh"
cleanup() { names_cleanup; }
need_root
cd "$SCRATCH" || exit 1

names_build 2>/dev/null
for name in "${names_kinds[@]}"; do
	names_run[$name]="perf record -q -F 499 -e cpu-clock -o $name.data -- ${names_run[$name]}"
done
"$HOSTPROF" record -q -F 499 -o names.pb.gz -- bash -c "$(declare -f names_start); $(declare -p names_kinds names_run); names_start ${1:-0.4}; wait" 2>/dev/null
"$HOSTPROF" report names.pb.gz --by comm,function,module -n 0 --format json |
	jq -r '.rows[] | select(.self_ns > 0 and (.module | startswith("[kernel") | not)) | [.comm, .self_ns, .function] | @tsv' >ours

share() { # FILE COMM PATTERN
	awk -F '\t' -v comm="$2" -v want="$3" '$1 == comm { all += $2; if ($3 ~ want) right += $2 } END { if (all) printf "%.1f %%", 100 * right / all; else print "none" }' "$1"
}
theirs() { # COMM PATTERN
	perf script -i "$1.data" -F comm,ip,sym >script 2>/dev/null || { echo aborted; return; }
	awk '{ comm = $1; ip = $2; $1 = $2 = ""; sub(/^ +/, ""); if (ip !~ /^ffff/) print comm "\t1\t" $0 }' script >rows
	share rows "$1" "$2"
}
echo "$(date -u +%F), kernel $(uname -r), $(nproc) CPUs, $(perf --version)"
printf '%-12s %-30s %9s %9s\n' PROGRAM LEAF hostprof perf
for name in "${names_kinds[@]}"; do
	want=${names_want[$name]}
	[[ $want == ^* ]] || want=$(sed 's/[][().*+?<>]/[&]/g' <<<"$want")
	printf '%-12s %-30s %9s %9s\n' "$name" "${names_want[$name]}" "$(share ours "$name" "$want")" "$(theirs "$name" "$want" 2>/dev/null)"
done
