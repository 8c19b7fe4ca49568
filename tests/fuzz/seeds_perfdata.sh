#!/bin/sh
# seeds_perfdata.sh FOLDER: small perf.data files to start fuzzing from: our
# own recordings of all kinds where perf can record, and the corpus.
folder=$1
mkdir -p "$folder"
record() { # NAME OPTION...
	name=$1
	shift
	perf record -q -o "$folder/$name" "$@" -- true >/dev/null 2>&1
}
if command -v perf >/dev/null; then
	record fp -g -e cpu-clock
	record dwarf --call-graph dwarf,256 -e cpu-clock
	record two -e '{cpu-clock,page-faults}:S' -F 5000
	record zstd -z -e cpu-clock -e page-faults
	record switches --switch-events --namespaces --all-cgroups -e cpu-clock
	perf record -q -o - -e cpu-clock -- true 2>/dev/null >"$folder/pipe"
	perf record -q -z -o - -e cpu-clock -- true 2>/dev/null >"$folder/zpipe"
fi
for file in ../shared/corpus/linux-perf-data/sleep* ../shared/corpus/quipper/perf.data.*; do
	[ -f "$file" ] && [ "$(stat -c %s "$file")" -lt 40000 ] && cp "$file" "$folder"
done
exit 0
