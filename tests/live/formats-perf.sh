#!/usr/bin/env bash
# A profile exported as perf.data, in perf's own reports and back in ours.
. "$(dirname "$0")/../lib.sh"
need_root
command -v perf >/dev/null || skip_all "no perf"

profile=$SCRATCH/x.pb.gz data=$SCRATCH/x.data
background sh -c 'while :; do :; done'
background dd if=/dev/zero of=/dev/null bs=1M # time in the kernel
"$HOSTPROF" record -d 2 -q -o "$profile" 2>"$SCRATCH/said" ||
	skip_all "no recording here: $(head -1 "$SCRATCH/said")"
"$HOSTPROF" export "$profile" --to perfdata -o "$data"
expect export 0 $?

samples=$("$HOSTPROF" report "$profile" --by state -n 0 --format json | jq '[.rows[].samples] | add')
expect perf_sees_all_samples "$samples" "$(perf script -i "$data" -F comm,time 2>/dev/null | grep -c .)"

# Shares by command: perf prints two digits; a name may have several threads.
ours() { "$HOSTPROF" report "$1" --by comm -n 0 --format json | jq -r '.rows[] | "\(.comm)\t\(.share * 100)"'; }
theirs() { perf report -i "$data" --no-children --stdio -g none --sort comm -F overhead,comm 2>/dev/null | sed -n 's/^ *\([0-9.]*\)%  *\(.*[^ ]\) *$/\2\t\1/p'; }
differ=$(awk -F '\t' 'NR == FNR {ours[$1] = $2; next} $1 in ours {seen++; d = $2 - ours[$1]; if (d > 0.02 || d < -0.02) print $1, ours[$1], $2} END {if (!seen) print "nothing in common"}' \
	<(ours "$profile") <(theirs))
expect perf_sees_our_shares "" "$differ"
expect we_read_it_back "$(ours "$profile" | sort)" "$(ours "$data" | sort)"

if perf report -i "$data" --no-children --stdio -g none --sort dso,sym 2>/dev/null | grep -q '\[k\] *[a-z_]'; then
	ok kernel_symbols_are_found
elif grep -q '^0* ' /proc/kallsyms; then
	skip kernel_symbols_are_found "the kernel hides its addresses"
else
	not_ok kernel_symbols_are_found "$(perf report -i "$data" --stdio --sort dso,sym 2>&1 | grep '\[k\]' | head -2)"
fi
expect_match files_are_found "libc.so.6" "$(perf report -i "$data" --no-children --stdio -g none --sort dso 2>/dev/null)"

"$HOSTPROF" export "$profile" --to perfdata --cgroups -o "$data"
path=$("$HOSTPROF" report "$profile" --by container -n 1 --format json | jq -r '.rows[0].container')
expect_match cgroups "^ *[0-9.]+%  *${path//./\\.}" "$(perf report -i "$data" --no-children --stdio -g none --sort cgroup 2>/dev/null)"

said=$("$HOSTPROF" export "$profile" --to perfdata -o - 2>&1 | tr -d "\000")
expect_match a_pipe_is_refused 'hostprof: standard output: ' "$said"
