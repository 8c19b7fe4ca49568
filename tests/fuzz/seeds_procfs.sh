#!/bin/sh
# Seeds for fuzz_procfs. usage: seeds_procfs.sh FOLDER
set -eu
mkdir -p "$1"
cat /proc/self/maps >"$1/maps"
cat /proc/self/stat >"$1/stat"
printf '1000-2000 r-xp 0 0:1 5 /a\\012b (deleted)\nffffffffffffffff0-1 r-xp 0 0:1 5\n' >"$1/hostile"
printf '42 (a b) S\n1 ;x) R 7 42 42 0 -1 1 97 0 0 0 31 12 0 0 20 0 3 0 81234 1 2\n' >"$1/brackets"
cp /bin/true "$1/elf"
