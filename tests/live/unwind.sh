#!/usr/bin/env bash
# User stacks of programs with known chains, built in every way that changes
# how a stack looks, sampled by the kernel and unwound by symbolize/unwind.
. "$(dirname "$0")/../lib.sh"
need_root
CHAINS=$ROOT/build/programs/unwind_chains
SOURCES=$ROOT/tests/targets/unwind
[ -x "$CHAINS" ] || skip_all "build/programs/unwind_chains is not built"
SAMPLES=40

# chains NAME REGEX PROGRAM [ARGUMENT…]: all samples whose leaf is not start-up
# code must match; there must be at least 10.
chains() {
	local name=$1 want=$2 got bad
	shift 2
	got=$("$CHAINS" $SAMPLES ${STACK:-32768} "$@" | grep -E "${ONLY_LEAF:- spin(\(\))?( |\$)}")
	bad=$(grep -vE -m1 "$want" <<<"$got")
	if [ "$(grep -cE "$want" <<<"$got")" -lt 10 ]; then
		not_ok "$name" "only $(grep -cE "$want" <<<"$got") stacks match /$want/, first other: $bad"
	elif [ -n "$bad" ]; then
		not_ok "$name" "a stack that does not match /$want/: $bad"
	else
		ok "$name"
	fi
}
# build NAME COMPILER-AND-FLAGS SOURCE [FLAGS…]
build() {
	local out=$1 how=$2 source=$3
	shift 3
	$how -w "$SOURCES/$source" -o "$SCRATCH/$out" "$@" 2>"$SCRATCH/$out.log" ||
		{ skip "${how// /_}_$out" "$(head -1 "$SCRATCH/$out.log")"; return 1; }
}
have() { command -v "${1%% *}" >/dev/null; }
GLIBC='(\[libc\.so\.6\]|__libc_start_call_main) __libc_start_main _start$'
CHAIN='spin inner middle(\.constprop\.0)? outer main'

for how in 'gcc -O0' 'gcc -O2' 'gcc -O3 -flto' 'gcc -O2 -static' 'gcc -O2 -static-pie' \
	'gcc -O2 -no-pie' 'gcc -O2 -g -fno-asynchronous-unwind-tables' \
	'gcc -O2 -Wl,--no-eh-frame-hdr' 'gcc -O2 -Wl,-Ttext-segment=0x7f0000' \
	'clang -O0' 'clang -O2' 'clang -O2 -static' 'clang -O2 -no-pie' \
	'clang -O2 -g -fno-asynchronous-unwind-tables' 'clang -O2 -fuse-ld=lld' \
	'clang -O2 -fuse-ld=lld -no-pie -Wl,-z,noseparate-code'; do
	have "$how" || { skip "chain_${how// /_}" "no ${how%% *}"; continue; }
	build chain "$how" chain.c && chains "chain_${how// /_}" "^complete $CHAIN $GLIBC" "$SCRATCH/chain"
done
for how in 'musl-gcc -O2' 'musl-gcc -O2 -static'; do
	have "$how" || { skip "chain_${how// /_}" "no musl-gcc"; continue; }
	build chain "$how" chain.c && chains "chain_${how// /_}" "^complete $CHAIN (\[libc\.so\]|libc_start_main_stage2)$" "$SCRATCH/chain"
done

# Neither tables nor frame pointers: nothing is invented.
build chain 'gcc -O2 -fno-asynchronous-unwind-tables' chain.c &&
	chains chain_without_anything '^no_info spin$' "$SCRATCH/chain"
# A frame pointer chain loses the caller of a leaf that makes no frame.
build chain 'clang -O2 -fno-asynchronous-unwind-tables -fno-omit-frame-pointer' chain.c &&
	chains chain_by_frame_pointer "^complete spin (inner )?middle outer main $GLIBC" "$SCRATCH/chain"
# Stripped of symbols and section headers (case C21): only the count of frames.
if build chain 'gcc -O2' chain.c && llvm-objcopy --strip-sections "$SCRATCH/chain" "$SCRATCH/bare" 2>/dev/null; then
	ONLY_LEAF='\[bare\]' chains C21_without_sections '^complete( \[bare\]){5} \[libc\.so\.6\] __libc_start_main \[bare\]$' "$SCRATCH/bare"
fi
# Separate debug information is not needed for .eh_frame.
build chain 'gcc -O2 -g' chain.c && strip "$SCRATCH/chain" &&
	ONLY_LEAF='\[chain\]' chains stripped '^complete( \[chain\]){5} \[libc\.so\.6\] __libc_start_main \[chain\]$' "$SCRATCH/chain"

build deep 'gcc -O2' chain.c &&
	STACK=65528 chains C35_recursion_300 "^complete spin inner middle(\.constprop\.0)?( outer){301} main $GLIBC" "$SCRATCH/deep" 300 &&
	STACK=65528 chains C35_recursion_1000 "^complete spin inner middle(\.constprop\.0)?( outer){1001} main $GLIBC" "$SCRATCH/deep" 1000

for how in 'gcc -O2 -mavx' 'clang -O2 -mavx' 'gcc -O2 -mavx -mstackrealign'; do
	build frames "$how" frames.c &&
		chains "frames_${how// /_}" "^complete spin jumps both realigned variable main $GLIBC" "$SCRATCH/frames"
done
build frames 'gcc -O2 -mavx -foptimize-sibling-calls' frames.c -DTAIL_CALL &&
	chains frames_tail_call "^complete spin both realigned variable main $GLIBC" "$SCRATCH/frames"

for how in 'gcc -O2' 'clang -O2' 'gcc -O2 -static' 'musl-gcc -O2 -static'; do
	have "$how" || { skip "signal_${how// /_}" "no ${how%% *}"; continue; }
	end=$GLIBC trampoline='(__restore_rt|\[libc\.so\.6\])'
	[[ $how == musl* ]] && end='libc_start_main_stage2$' trampoline='(__restore_rt|restore_rt|__restore)'
	build signal "$how" signal.c || continue
	chains "signal_${how// /_}" "^complete spin handler $trampoline work outer main $end" "$SCRATCH/signal" timer
	chains "C04_alternate_stack_${how// /_}" "^truncated spin handler $trampoline work$" "$SCRATCH/signal" alt
	chains "C02_first_instruction_${how// /_}" "^complete spin handler $trampoline faults work outer main $end" "$SCRATCH/signal" entry
done

if build assembly 'gcc -O2' assembly.c; then
	chains assembly_with_cfi "^complete spin with_cfi caller main $GLIBC" "$SCRATCH/assembly" cfi
	chains C37_assembly_with_frame_pointer "^complete spin with_fp caller main $GLIBC" "$SCRATCH/assembly" fp
	chains C37_assembly_with_neither '^no_info spin bare$' "$SCRATCH/assembly" bare
	chains C01_last_call "^complete spin last caller main $GLIBC" "$SCRATCH/assembly" last
fi

if build stacks 'gcc -O2' stacks.c -lpthread; then
	chains thread '^complete spin worker \[libc\.so\.6\] \[libc\.so\.6\]$' "$SCRATCH/stacks" thread
	chains coroutine '^no_info spin coroutine \[libc\.so\.6\]$' "$SCRATCH/stacks" coroutine
	ONLY_LEAF='clock_gettime ' chains C54_vdso "^complete( clock_gettime(@plt)?)+ ask_time main $GLIBC" "$SCRATCH/stacks" vdso
	chains C33_large_frame '^truncated spin touched$' "$SCRATCH/stacks" touched
	chains C34_page_not_there '^truncated spin untouched$' "$SCRATCH/stacks" untouched
	ONLY_LEAF='(read|write) ' chains in_the_kernel "^complete (read|write) in_system main $GLIBC" "$SCRATCH/stacks" system
fi

for how in 'g++ -O2' 'clang++ -O2' 'g++ -O2 -static'; do
	build exceptions "$how" exceptions.cc || continue
	chains "cleanup_${how// /_}" "^complete spin\(\) Guard::~Guard\(\) guarded\(int\)( \[clone [^]]*\])? catcher\(int\) main $GLIBC" "$SCRATCH/exceptions" cleanup
	chains "catch_${how// /_}" "^complete spin\(\) catcher\(int\)( \[clone [^]]*\])? main $GLIBC" "$SCRATCH/exceptions" catch
done

if build libchain.so 'gcc -O2 -fPIC -shared' library.c; then
	for flags in '-Wl,-z,lazy' '-Wl,-z,now' '-fcf-protection=full' '-fno-plt'; do
		build uses "gcc -O2 $flags" uses_library.c -L"$SCRATCH" -l:libchain.so -Wl,-rpath,"$SCRATCH" || continue
		chains "library_callback_$flags" "^complete spin back library_call main $GLIBC" "$SCRATCH/uses" callback
		ONLY_LEAF='(library_[ab](@plt)?|through_plt) ' chains "C05_plt_$flags" \
			"^complete (library_[ab] |library_[ab]@plt )?through_plt main $GLIBC" "$SCRATCH/uses" plt
	done
fi

if have go; then
	export HOME=$SCRATCH GOCACHE=$SCRATCH/go GOFLAGS=-mod=mod
	if go build -o "$SCRATCH/goroutine" "$SOURCES/goroutine.go" 2>"$SCRATCH/go.log"; then
		ONLY_LEAF='main\.spin' chains go_goroutine '^complete main\.spin main\.middle main\.main\.func1 runtime\.goexit' "$SCRATCH/goroutine"
		go build -ldflags '-s -w' -o "$SCRATCH/goroutine" "$SOURCES/goroutine.go"
		# Names of a stripped one come from its own table, .gopclntab; what was
		# inlined is told by DWARF alone.
		ONLY_LEAF='main\.spin' chains C41_go_stripped '^complete main\.spin (main\.middle )?main\.main\.func1 runtime\.goexit' "$SCRATCH/goroutine"
	else
		skip go_goroutine "$(head -1 "$SCRATCH/go.log")"
	fi
else
	skip go_goroutine "no go"
fi
