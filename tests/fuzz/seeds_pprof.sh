#!/bin/sh
# seeds_pprof.sh FOLDER: pprof files to start fuzzing from, uncompressed, so
# that a changed byte reaches the reader and not only gzip's checksum.
folder=$1
mkdir -p "$folder"
program=$(dirname "$folder")/../programs/sample_profile
[ -x "$program" ] && "$program" pprof | gunzip >"$folder/ours"
[ -x "$program" ] && "$program" pprof >"$folder/ours.gz"
for file in ../shared/corpus/pprof/*/*; do
	[ -f "$file" ] && [ "$(stat -c %s "$file")" -lt 5000 ] || continue
	gunzip <"$file" >"$folder/$(basename "$file")" 2>/dev/null ||
		rm -f "$folder/$(basename "$file")"
done
exit 0
