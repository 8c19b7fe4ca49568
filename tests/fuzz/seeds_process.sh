#!/bin/sh
# Seeds for fuzz_process. usage: seeds_process.sh FOLDER
# fork 1→2, exec, a mapping, a sample, the exit, a late sample: see its struct
# step; kinds are twice those of enum event_kind.
set -eu
mkdir -p "$1"
printf '\010\002\002\0\021\0\0\001\006\002\002\0\001\0\0\001\004\002\002\0\021\001\040\001\200\002\002\0\0\001\0\001\012\002\002\001\0\0\0\001\200\017\017\001\0\001\0\001' >"$1/life"
printf '\010\001\003\0\021\0\0\001\012\001\001\0\0\0\0\001\006\001\001\0\001\0\0\001\200\001\003\0\0\0\0\377' >"$1/threads"
