#!/bin/sh
# Seeds for fuzz_perfmap. usage: seeds_perfmap.sh FOLDER
set -eu
mkdir -p "$1"
printf '1000 100 first\n1080 100 second name\n0x20 0x10 third\n' >"$1/small"
printf '00007FB0614AABEG 130 bad\nFAAFFFFFFFFFFFFFF 300 long\nFFFFFFFFFFFFFFFE 100 wrap\n 1 1 space\n' >"$1/hostile"
cp "$(dirname "$0")"/../../../shared/corpus/jit/*map* "$1" 2>/dev/null || true
