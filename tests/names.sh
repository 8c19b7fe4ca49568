# Sourced by the live test and the bench of names: programs of twenty kinds,
# each spinning in one function whose name is known. After names_start, all
# of them run, for NAMES_SECONDS of their own CPU time each.

names_kinds=()    # comm of each program
declare -A names_want # its hot leaf function, as hostprof shows it
declare -A names_run  # the command that starts it

# kind COMM FUNCTION COMMAND…
kind() {
	names_kinds+=("$1")
	names_want[$1]=$2
	names_run[$1]=${*:3}
}

names_sources() {
	cat >spin.c <<'C'
#include <stdlib.h>
#include <time.h>
int counter;
static double cpu(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}
__attribute__((noinline)) void HOT(void)
{
	for (int i = 0; i < 20000000; i++)
		__asm__ volatile("" : "+r"(i));
}
int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	while (cpu() < seconds)
		HOT();
	return 0;
}
C
	sed 's/\bHOT\b/other_function/; s/void HOT/void other_function/; s/HOT()/other_function()/' spin.c >other.c
	sed -e '/noinline/s/.*/static inline __attribute__((always_inline)) void inlined_leaf(void)/' \
		-e 's/HOT();/inlined_leaf();/' spin.c >inlined.c
	sed -e 's/^__attribute__((noinline)) void HOT(void)/namespace space { template <class T> __attribute__((noinline)) void hot(T)/' \
		-e 's/^int main/}\nint main/' -e 's/HOT();/space::hot(1);/' spin.c >spin.cc
	cat >spin.go <<'GO'
package main

import (
	"os"
	"strconv"
	"syscall"
)

//go:noinline
func hot(n int) (s int) {
	for i := 0; i < n; i++ {
		s += i ^ s
	}
	return
}
func main() {
	seconds, _ := strconv.ParseFloat(os.Args[1], 64)
	for sum := 0; ; sum += hot(50000000) {
		var u syscall.Rusage
		syscall.Getrusage(0, &u)
		if float64(u.Utime.Sec)+float64(u.Utime.Usec)/1e6 > seconds {
			return
		}
	}
}
GO
	cat >spin.js <<'JS'
function hotScript(n) { let s = 0; for (let i = 0; i < n; i++) s = (s + i * 7) | 0; return s; }
const end = Number(process.argv[2]) * 1e6;
let sum = 0;
do sum += hotScript(5e7); while (process.cpuUsage().user < end);
JS
	cat >vdso.c <<'C'
#include <stdlib.h>
#include <time.h>
int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	struct timespec now, used;
	do {
		for (int i = 0; i < 1000000; i++)
			clock_gettime(CLOCK_MONOTONIC, &now);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	} while (used.tv_sec + used.tv_nsec / 1e9 < seconds);
}
C
	cat >jit.c <<'C'
/* Writes a loop to memory as a JIT compiler does, tells of it in its perf
 * map, and runs it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	/* mov $100000000,%ecx; 1: dec %ecx; jnz 1b; ret */
	static const unsigned char loop[] = { 0xb9, 0, 0xe1, 0xf5, 5, 0xff, 0xc9, 0x75, 0xfc, 0xc3 };
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct timespec used;
	char path[64];
	FILE *map;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map = fopen(path, "w");
	fprintf(map, "%lx %zx jitted loop\n", (unsigned long)code, sizeof(loop));
	fclose(map);
	memcpy(code, loop, sizeof(loop));
	do {
		((void (*)(void))code)();
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	} while (used.tv_sec + used.tv_nsec / 1e9 < seconds);
	unlink(path);
}
C
	# The same with a jitdump, for two pieces of code at one address in turn.
	cat >jitdump.c <<'C'
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
static const unsigned char loop[] = { 0xb9, 0, 0xe1, 0xf5, 5, 0xff, 0xc9, 0x75, 0xfc, 0xc3 };
static uint64_t now(clockid_t clock)
{
	struct timespec time;
	clock_gettime(clock, &time);
	return time.tv_sec * 1000000000ull + time.tv_nsec;
}
static void load(FILE *dump, void *code, const char *name)
{
	struct { uint32_t id, size; uint64_t time; uint32_t pid, tid; uint64_t vma, address, length, index; } record = {
		0, 56 + strlen(name) + 1 + sizeof(loop), now(CLOCK_MONOTONIC), getpid(), getpid(),
		(uintptr_t)code, (uintptr_t)code, sizeof(loop), 0 };
	fwrite(&record, sizeof(record), 1, dump);
	fwrite(name, strlen(name) + 1, 1, dump);
	fwrite(loop, sizeof(loop), 1, dump);
	fflush(dump);
}
int main(int argc, char **argv)
{
	struct { uint32_t magic, version, size, machine, pad, pid; uint64_t time, flags; } header = {
		0x4a695444, 1, 40, 62, 0, getpid(), now(CLOCK_MONOTONIC), 0 };
	void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	char path[64];
	FILE *dump;
	snprintf(path, sizeof(path), "jit-%d.dump", getpid());
	dump = fopen(path, "w+");
	fwrite(&header, sizeof(header), 1, dump);
	fflush(dump);
	mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0);
	memcpy(code, loop, sizeof(loop));
	load(dump, code, "dumped loop");
	while (now(CLOCK_PROCESS_CPUTIME_ID) < seconds * 1e9)
		((void (*)(void))code)();
	load(dump, code, "later code"); /* never run */
}
C
	# Labels without size or type, as in hand-written assembly.
	cat >label.s <<'S'
.text
.globl label_main, label_hot, label_after
label_main: nop
label_hot:
	mov $100000000, %ecx
1:	dec %ecx
	jnz 1b
	ret
label_after: nop
.section .note.GNU-stack,"",@progbits
S
	sed -e 's/__attribute__((noinline)) void HOT(void)/void label_hot(void); void unused(void)/' -e 's/HOT();/label_hot();/' spin.c >label.c
	# A call through the PLT in a tight loop: the stub is the leaf at times.
	echo 'void callee(void) {}' >callee.c
	sed -e '/noinline/i void callee(void);' -e 's/__asm__.*/callee();/' -e 's/20000000/3000000/' spin.c >plt.c
}

debug_place() { # FILE: where its debug file belongs, below debug/
	local id
	id=$(readelf -n "$1" | sed -n 's/.*Build ID: //p')
	echo "/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
}

# Builds every kind in the current directory.
names_build() {
	local cc="gcc -O1 -g"
	names_sources
	$cc -DHOT=hot_plain spin.c -o n-plain && kind n-plain hot_plain ./n-plain
	g++ -O1 -g spin.cc -o n-cxx && kind n-cxx 'void space::hot<int>(int)' ./n-cxx
	$cc -static -DHOT=hot_static spin.c -o n-static && kind n-static hot_static ./n-static
	$cc -static-pie -DHOT=hot_staticpie spin.c -o n-spie && kind n-spie hot_staticpie ./n-spie
	$cc -rdynamic -s -DHOT=hot_stripped spin.c -o n-stripped && kind n-stripped hot_stripped ./n-stripped
	$cc -rdynamic -DHOT=hot_sections spin.c -o n-sections && llvm-objcopy --strip-sections n-sections && kind n-sections hot_sections ./n-sections
	$cc -DHOT=hot_mini spin.c -o n-mini && objcopy -S --keep-symbol=hot_mini n-mini mini && xz -f mini &&
		strip n-mini && objcopy --add-section .gnu_debugdata=mini.xz n-mini && kind n-mini hot_mini ./n-mini
	$cc -DHOT=hot_link spin.c -o n-link && objcopy --only-keep-debug n-link n-link.debug && strip n-link &&
		objcopy --add-gnu-debuglink=n-link.debug n-link && kind n-link hot_link ./n-link
	$cc -DHOT=hot_id spin.c -o n-id && names_debug=$(debug_place n-id) && mkdir -p "${names_debug%/*}" &&
		objcopy --only-keep-debug n-id "$names_debug" && strip n-id && kind n-id hot_id ./n-id
	gcc -O2 -g inlined.c -o n-inline && kind n-inline inlined_leaf ./n-inline
	gcc -O2 -g -gsplit-dwarf inlined.c -o n-split && kind n-split inlined_leaf ./n-split
	clang -O1 -g -fuse-ld=lld -no-pie -Wl,-z,noseparate-code -DHOT=hot_lld spin.c -o n-lld && kind n-lld hot_lld ./n-lld
	clang -O1 -g -fuse-ld=lld -ffunction-sections -Wl,--icf=all -DHOT=hot_icf spin.c -o n-icf && kind n-icf hot_icf ./n-icf
	$cc -Wl,-Ttext-segment=0xab0000 -no-pie -DHOT=hot_base spin.c -o n-base && kind n-base hot_base ./n-base
	gcc -O1 label.c label.s -o n-label && kind n-label label_hot ./n-label
	go build -ldflags '-s -w' -o n-go spin.go 2>/dev/null && kind n-go main.hot ./n-go
	$cc -DHOT=hot_deleted spin.c -o n-deleted && kind n-deleted hot_deleted ./n-deleted
	$cc -DHOT=hot_replaced spin.c -o n-replaced && gcc -O1 other.c -o n-other && kind n-replaced hot_replaced ./n-replaced
	# Its comm is that of the memfd.
	$cc -DHOT=hot_memfd spin.c -o in-memfd && [ -x "$TARGETS/memfd" ] &&
		kind memfd:prog hot_memfd "$TARGETS/memfd exec ./in-memfd"
	gcc -O1 vdso.c -o n-vdso && kind n-vdso 'clock_gettime' ./n-vdso
	gcc -O1 jit.c -o n-jit && kind n-jit 'jitted loop' ./n-jit
	gcc -O1 jitdump.c -o n-jitdump && kind n-jitdump 'dumped loop' ./n-jitdump
	gcc -shared -fPIC -O1 callee.c -o libcallee.so &&
		gcc -O1 -Wl,-z,lazy -DHOT=hot_plt plt.c -o n-plt ./libcallee.so && kind n-plt '^(hot_plt|callee|callee@plt)$' ./n-plt
	$cc -static -DHOT=hot_chroot spin.c -o n-chroot && mkdir -p jail && cp n-chroot jail/ && kind n-chroot hot_chroot "chroot jail /n-chroot"
	if command -v node >/dev/null; then
		cp -s "$(readlink -f "$(command -v node)")" n-node && kind n-node 'hotScript' "./n-node --perf-basic-prof spin.js"
	fi
}

# Starts all of them; sets names_pids.
names_start() {
	local name
	names_pids=()
	for name in "${names_kinds[@]}"; do
		${names_run[$name]} "$1" &
		names_pids+=($!)
	done
	until pgrep -x n-deleted && pgrep -x n-replaced; do
		sleep 0.01
	done >/dev/null
	rm -f n-deleted
	mv n-other n-replaced 2>/dev/null
}

names_cleanup() { [ -z "${names_debug:-}" ] || rm -f "$names_debug"; }
