#!/usr/bin/env bash
# User stacks without frame pointers as hostprof record and report show them:
# several programs with known chains in one recording, and the same programs
# in a perf.data with stack copies.
. "$(dirname "$0")/../lib.sh"
need_root
SOURCES=$ROOT/tests/targets/unwind
cd "$SCRATCH" || exit 1

build() { # PROGRAM SOURCE [FLAGS…]
	local program=$1 source=$2
	shift 2
	gcc -O2 -w "$SOURCES/$source" -o "$program" "$@" || skip_all "gcc cannot build $source"
}
build u-chain chain.c
build u-deep chain.c
build u-static chain.c -static
build u-frames frames.c -mavx
build u-signal signal.c
build u-alt signal.c
build u-bare chain.c -fno-asynchronous-unwind-tables
build u-large stacks.c -lpthread
build u-thread stacks.c -lpthread
build u-vfork vfork.c
# Call frame information only in a separate debug file, beside the others.
build u-debug chain.c -g -fno-asynchronous-unwind-tables -Wl,--build-id
id=$(readelf -n u-debug | awk '/Build ID/{print $3}')
debug=/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug
cleanup() { rm -f "$debug"; rmdir "/usr/lib/debug/.build-id/${id:0:2}" 2>/dev/null; }
mkdir -p "${debug%/*}" && objcopy --only-keep-debug u-debug "$debug" && strip -R .debug_frame -g u-debug

start_all() {
	background ./u-chain
	background ./u-deep 300
	background ./u-static
	background ./u-frames
	background ./u-signal timer
	background ./u-alt alt
	background ./u-bare
	background ./u-large touched
	background ./u-thread thread
	background ./u-vfork
	background ./u-debug
}

# stacks FILE COMM: its distinct stacks, leaf last, each with its weight; 301
# times outer (mawk cannot count) is outer*301.
stacks() { "$HOSTPROF" export "$1" --to folded --comm "$2" -o - | sed -E 's/_\[k\]//g; s/;(outer;){301}/;outer*301;/'; }
# only NAME FILE COMM REGEX: at least 95 % of the time of COMM's user stacks
# (those that end in spin or work) is in stacks that match.
only() {
	local share
	share=$(stacks "$2" "$3" | grep -E 'spin|work' | awk -v re="$4" '{n = $NF; sub(/ [0-9]+$/, ""); all += n; if ($0 ~ re) good += n} END{printf "%.1f", all ? 100 * good / all : -1}')
	if awk -v s="$share" 'BEGIN{exit !(s >= 95)}'; then
		ok "$1"
	else
		not_ok "$1" "$share % match /$4/, such as $(stacks "$2" "$3" | sort -k2 -n | tail -1 | cut -c1-200)"
	fi
}

check_all() { # PREFIX FILE
	local libc='_start;__libc_start_main[^;]*;(__libc_start_call_main|\[libc\.so\.6\][^;]*);main'
	only "$1 no frame pointers" "$2" u-chain "^u-chain;$libc;outer;middle[^;]*;inner;spin"
	only "$1 C35 depth 300" "$2" u-deep "^u-deep;$libc;outer[*]301;middle[^;]*;inner;spin"
	only "$1 static" "$2" u-static '^u-static;_start;__libc_start_main[^;]*;__libc_start_call_main;main;outer;middle[^;]*;inner;spin'
	only "$1 alloca and realigned stacks" "$2" u-frames "^u-frames;$libc;variable;realigned;both;jumps;spin"
	only "$1 signal handler" "$2" u-signal "^u-signal;$libc;outer;work(;[^;]*;handler;spin)?"
	only "$1 C04 alternate stack is truncated" "$2" u-alt "^u-alt;(\\[truncated\\];work;[^;]*;handler;spin|$libc;outer;work)"
	only "$1 nothing to unwind by" "$2" u-bare '^u-bare;\[no unwind information\];spin'
	only "$1 C33 frame larger than the copy" "$2" u-large '^u-large;\[truncated\];touched;spin'
	only "$1 thread" "$2" u-thread '^u-thread;(clone3|\[libc[^;]*);(start_thread|\[libc[^;]*);worker;spin'
	only "$1 vfork child" "$2" u-vfork "^u-vfork;$libc;outer;spin"
	only "$1 call frame information in the debug file" "$2" u-debug "^u-debug;$libc;outer;middle[^;]*;inner;spin"
}

start_all
"$HOSTPROF" record -F 499 -d 4 -o live.pb.gz -q || not_ok "record" "exit status $?"
"$HOSTPROF" record -F 499 -d 2 --stack-size 1024 --comm u-deep -o small.pb.gz -q
"$HOSTPROF" record -F 499 -d 2 -g none --comm u-chain -o none.pb.gz -q
# -B: perf 6.1 aborts on some build-ids, and needs none here.
! command -v perf >/dev/null ||
	perf record -B -q -a -F 499 -e cpu-clock --call-graph dwarf,32768 -m 8M -o dwarf.data sleep 4 2>/dev/null >/dev/null
kill -9 "${lib_pids[@]}"
lib_pids=()

check_all "live:" live.pb.gz
expect "truncated stacks are counted" true "$("$HOSTPROF" report live.pb.gz --format json | jq '.health.stacks_truncated > 10')"
expect "stacks without information are counted" true "$("$HOSTPROF" report live.pb.gz --format json | jq '.health.stacks_failed > 10')"
only "a small --stack-size truncates" small.pb.gz u-deep '^u-deep;\[truncated\];outer'
only "-g none is the leaf alone" none.pb.gz u-chain '^u-chain;spin$'
expect "--stack-size above the kernel's limit is refused" 2 "$("$HOSTPROF" record --stack-size 65536 -d 1 2>/dev/null >/dev/null; echo $?)"
if [ -s dwarf.data ]; then
	check_all "perf.data:" dwarf.data
else
	skip "perf.data" "no perf"
fi
