#!/usr/bin/env bash
# Reading perf.data to the summary, beside perf report: a recording with
# frame-pointer callchains and one with copies of stacks (--call-graph dwarf)
# of a compiler and a C++ program. Wall seconds and peak memory, RUNS each in
# turn, medians, and the ratio.
#
# NEW_PERF names a newer perf besides the installed one, as a command; what it
# needs to find this host's files goes into NEW_PERF_OPTIONS and NEW_PERF_ROOT:
#   NEW_PERF='chroot /srv/sid perf' NEW_PERF_ROOT=/host NEW_PERF_OPTIONS='--symfs /host'
# usage: perfdata.sh [RUNS [FP_SECONDS [DWARF_SECONDS]]]
set -eu
cd "$(dirname "$0")/../.."
runs=${1:-3} fp_seconds=${2:-20} dwarf_seconds=${3:-10}
scratch=$(mktemp -d /var/tmp/hostprof-bench.XXXXXX)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null; rm -rf "$scratch"' EXIT

cat >"$scratch/big.cc" <<'CC'
#include <algorithm>
#include <iostream>
#include <map>
#include <regex>
#include <string>
#include <vector>
int main()
{
	std::map<std::string, std::vector<int>> all;
	for (int i = 0; i < 20000000; i++) {
		auto &v = all[std::to_string(i % 1000)];
		v.push_back(i);
		if (v.size() > 100) {
			std::sort(v.rbegin(), v.rend());
			v.clear();
		}
	}
	std::cout << std::regex_match("abcabc", std::regex("(abc)*")) << all.size();
}
CC
g++ -O2 -g -o "$scratch/big" "$scratch/big.cc"
"$scratch/big" >/dev/null &
pids+=($!)
(while :; do g++ -O2 -g -S -o /dev/null "$scratch/big.cc"; done) &
pids+=($!)
sleep 1
perf record -q -a -g -F 25000 -o "$scratch/fp.data" -- sleep "$fp_seconds" 2>/dev/null
"$scratch/big" >/dev/null &
pids+=($!)
perf record -q -a --call-graph dwarf,16384 -F 1100 -o "$scratch/dwarf.data" -- sleep "$dwarf_seconds" 2>/dev/null
kill "${pids[@]}" 2>/dev/null || true
wait 2>/dev/null || true
pids=()

once() { # NAME COMMAND…
	local name=$1
	shift
	/usr/bin/time -f '%e %M' -o "$scratch/time" "$@" >/dev/null 2>&1 || true
	tail -1 "$scratch/time" >>"$scratch/$name"
}
median() { sort -n | awk '{v[NR] = $1} END{print v[int((NR + 1) / 2)]}'; }
row() { # LABEL NAME
	local seconds memory
	seconds=$(cut -d' ' -f1 "$scratch/$2" | median)
	memory=$(cut -d' ' -f2 "$scratch/$2" | median)
	[ -n "${base_seconds:-}" ] || { base_seconds=$seconds base_memory=$memory; }
	printf '  %-34s %8.2f s %8d kB   x %.1f time, x %.1f memory\n' "$1" "$seconds" "$memory" \
		"$(awk "BEGIN{print $seconds / $base_seconds}")" "$(awk "BEGIN{print $memory / $base_memory}")"
}
compare() { # FILE, how perf is asked
	local file=$1
	shift
	rm -f "$scratch"/run.*
	for ((run = 0; run < runs; run++)); do
		once run.ours ./hostprof report "$scratch/$file"
		once run.perf perf report --stdio "$@" -i "$scratch/$file"
		[ -z "${NEW_PERF:-}" ] || once run.new $NEW_PERF report --stdio ${NEW_PERF_OPTIONS:-} "$@" -i "${NEW_PERF_ROOT:-}$scratch/$file"
	done
	echo "$file, $(stat -c %s "$scratch/$file" | numfmt --to=si)B, $(./hostprof report "$scratch/$file" --format json | jq .health.samples) samples, perf report $*:"
	base_seconds=
	row "hostprof report" run.ours
	row "$(perf --version)" run.perf
	[ -z "${NEW_PERF:-}" ] || row "$($NEW_PERF --version)" run.new
}
compare fp.data
compare dwarf.data --no-inline
runs=1 # takes minutes
compare dwarf.data
