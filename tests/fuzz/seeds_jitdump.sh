#!/bin/sh
# Seeds for fuzz_jitdump: one written here, and the corpus'. usage: seeds_jitdump.sh FOLDER
set -eu
mkdir -p "$1"
{
	printf 'DTiJ\001\0\0\0\050\0\0\0\076\0\0\0\0\0\0\0\001\0\0\0\001\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
	printf '\0\0\0\0\076\0\0\0\001\0\0\0\0\0\0\0\001\0\0\0\001\0\0\0\0\020\0\0\0\0\0\0\0\020\0\0\0\0\0\0\004\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0f\0code'
} >"$1/small"
cp "$(dirname "$0")"/../../../shared/corpus/jit/*.dump "$1" 2>/dev/null || true
