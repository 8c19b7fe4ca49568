#!/usr/bin/env bash
# Whose samples are whose, in one recording of the whole host: programs that
# were replaced, deleted, started from a memfd or in another root, that fork,
# rename themselves and call exec, and that are gone before the end.
. "$(dirname "$0")/../lib.sh"
need_root
cd "$SCRATCH" || exit 1

perf_maps=()
cleanup() { rm -f "${perf_maps[@]}"; }

# build NAME: ./NAME runs spin_NAME() for a fifth of the time, as NAME. The name
# is in the data too: symbols alone would not make another build-id.
build() {
	gcc -O1 -fno-omit-frame-pointer -DSPIN="spin_$1" -DNAME="\"$1\"" -o "$1" -x c - <<'C' || exit 1
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
const char name[] = NAME;
static volatile uint64_t sink;
static uint64_t cpu_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}
__attribute__((noinline)) void SPIN(void)
{
	uint64_t end = cpu_ns() + 10000000;
	void *volatile frame = __builtin_frame_address(0);
	(void)frame;
	do
		for (int i = 0; i < 20000; i++)
			sink += i;
	while (cpu_ns() < end);
}
int main(int argc, char **argv)
{
	/* "NAME fork": the work is done by a child that does not call exec. */
	if (argc > 1 && fork())
		pause();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		SPIN();
		usleep(40000);
	}
}
C
}
for name in removed replaced newcomer memfile inside outside tmpfile chrooted forked late; do
	build "$name"
done

# until_exec NAME: waits until the newest program of the test has that name.
until_exec() {
	until [[ "$(cat "/proc/${lib_pids[-1]}/comm")" =~ ^($1)$ ]]; do sleep 0.01; done 2>/dev/null
}

background ./removed; until_exec removed; rm removed
background ./replaced; until_exec replaced; mv newcomer replaced
background "$TARGETS/memfd" exec "$SCRATCH/memfile"
background "$TARGETS/memfd" heap 1
perf_maps+=("/tmp/perf-${lib_pids[-1]}.map")
background unshare -m sh -c "mount --bind '$SCRATCH/inside' '$SCRATCH/outside' && exec '$SCRATCH/outside'"
background ./forked child
background "$TARGETS/mappings"
mkdir -p tmp jail/bin
for lib in $(ldd chrooted | grep -oE '/[^ ]+'); do
	mkdir -p "jail$(dirname "$lib")" && cp "$lib" "jail$lib"
done
cp chrooted jail/bin/
background chroot jail /bin/chrooted

# These start while it records and are gone before it ends.
cat >window.sh <<EOF
sleep 0.5
"$TARGETS/renames" &
timeout 2 unshare -m sh -c "mount -t tmpfs tmpfs tmp && cp tmpfile tmp/ && exec tmp/tmpfile" &
timeout 2 unshare -mpf sh -c "exec 9<'$TARGETS/memfd' && mount -t tmpfs tmpfs /tmp && cat <&9 >/tmp/memfd && chmod 755 /tmp/memfd && exec /tmp/memfd heap 1" &
./late &
late=\$!
until [ "\$(cat /proc/\$late/comm)" = late ]; do sleep 0.02; done
rm late
sleep 1
kill -9 \$late
wait
sleep 0.5
EOF
"$HOSTPROF" record -q -F 999 -g fp -o all.pb.gz -- bash window.sh >/dev/null 2>err
[ -s all.pb.gz ] || { cat err; exit 1; }
rows() { "$HOSTPROF" report all.pb.gz --by "$1" -n 0 --format json "${@:2}"; }
rows comm,function >rows.json

# has NAME COMM FUNCTION: at least ten samples of that comm in that function.
has() {
	local samples
	samples=$(jq --arg comm "$2" --arg function "$3" \
		'[.rows[] | select(.comm == $comm and .function == $function and .self_ns > 0) | .samples] | add // 0' rows.json)
	if [ "$samples" -ge 10 ]; then ok "$1"; else
		not_ok "$1" "$samples samples; $(jq -c --arg comm "$2" '[.rows[] | select(.comm == $comm) | [.function, .samples]] | .[:4]' rows.json)"
	fi
}
has "C14: removed while it runs" removed spin_removed
has "C14: replaced while it runs" replaced spin_replaced
expect "C14: never the new file's names" 0 "$(jq '[.rows[] | select(.function == "spin_newcomer")] | length' rows.json)"
memfd_comm=$(jq -r '[.rows[] | select(.function == "spin_memfile") | .comm][0] // "?"' rows.json)
has "C15: started from a memfd ($memfd_comm)" "$memfd_comm" spin_memfile
has "C15: code in a memfd, by its perf map" memfd jit_loop
has "C17: bound over in another mount namespace" outside spin_inside
expect "C17: never the host's file of that path" 0 "$(jq '[.rows[] | select(.function == "spin_outside")] | length' rows.json)"
has "C17: in a chroot" chrooted spin_chrooted
has "C17, C18: on a tmpfs that went with its namespace" tmpfile spin_tmpfile
has "C18: deleted at once, ended early" late spin_late
has "forked without exec" forked spin_forked
has "60,000 mappings" mappings spin_mappings
has "C45: before the rename" first spin_first
has "C45: after the rename" second spin_second
has "C45: a thread's own name" worker spin_worker
has "C45: after exec by that thread" exe spin_after
has "C46: brackets, a newline (escaped) and a semicolon" 'a b) S\n1 ;x' spin_odd
for pair in first:spin_second second:spin_first exe:spin_worker worker:spin_after; do
	expect "C45: no ${pair#*:} under ${pair%:*}" 0 "$(jq --arg comm "${pair%:*}" --arg function "${pair#*:}" \
		'[.rows[] | select(.comm == $comm and .function == $function and .samples > 1)] | length' rows.json)"
done
expect "C46: no line of a table is broken" 0 "$("$HOSTPROF" report all.pb.gz --by comm -n 0 | grep -cE '^1 ;x')"

# C27: pid 1 of its own pid namespace, its map in a /tmp of its own; by then
# the process and both namespaces are gone.
rows process,function | jq '[.rows[] | select(.process.comm == "memfd" and .function == "jit_loop") | .process.pid] | unique | length' >jits
expect "C27: both perf maps, one in another pid namespace" 2 "$(cat jits)"
