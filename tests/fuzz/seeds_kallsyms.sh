#!/bin/sh
# Seeds for fuzz_kallsyms. usage: seeds_kallsyms.sh FOLDER
set -eu
mkdir -p "$1"
printf 'ffffffff81000000 T _stext\nffffffff81000100 t do_work\nffffffffc0300000 t ext4_read\t[ext4]\nffffffff82000000 T _etext\n' >"$1/small"
printf '0000000000000000 T a\n0000000000000000 t b\t[x]\n' >"$1/zeroes"
head -100 /proc/kallsyms >"$1/real" 2>/dev/null || true
