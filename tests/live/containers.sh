#!/usr/bin/env bash
# Real containers by name: runc and podman, while they run and when they are
# gone before anybody prints.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/containers.sh"
cleanup() { containers_cleanup; }
need_root
have_runc || skip_all "runc or jq is missing"

CONTAINER_OF=$ROOT/build/programs/container_of
[ -x "$CONTAINER_OF" ] || make -s -C "$ROOT" programs >/dev/null || skip_all "no programs"

cat >"$SCRATCH/spin.c" <<'C'
#include <unistd.h>
int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		fork();
	for (volatile unsigned long n = 0;; n++)
		;
}
C
gcc -O1 -static -o "$SCRATCH/spin" "$SCRATCH/spin.c" || skip_all "no static libc"
containers_rootfs "$SCRATCH/root" "$SCRATCH/spin"

start_runc one "$SCRATCH/root" /spin || skip_all "runc cannot run here"
runc_pid=$container_pid
expect runc_container_has_its_name \
	"$runc_pid container runc $(container_name one) $(container_name one)" \
	"$("$CONTAINER_OF" "$runc_pid")"

"$CONTAINER_OF" --watch 2 "$runc_pid" >"$SCRATCH/gone" &
watcher=$!
sleep 0.5
stop_runc one
wait $watcher
expect_match runc_container_keeps_its_name_when_gone_C62 \
	"^$runc_pid container runc $(container_name one) " "$(cat "$SCRATCH/gone")"

# A container in a container: the name is in a file of the outer one, which is
# read through /proc/PID/root of a process there.
outer=$(printf 'a%063d' $$) inner=$(printf 'b%063d' $$)
store=$SCRATCH/root/var/lib/docker/containers/$inner
mkdir -p "$store"
echo '{"Name":"/inner"}' >"$store/config.v2.json"
top=hostprof-$$/docker
start_runc_at "/$top/$outer" outer "$SCRATCH/root" /spin fork
v2=$(awk '/ - cgroup2 /{print $5; exit}' /proc/self/mountinfo)
child=$(pgrep -P "$container_pid")
if [ -n "$child" ] && mkdir "$v2/$top/$outer/$inner" 2>/dev/null &&
	echo "$child" >"$v2/$top/$outer/$inner/cgroup.procs"; then
	expect_match nested_container_is_named_by_the_outer_ones_files_C62 \
		"^$child container docker inner $inner$" "$("$CONTAINER_OF" "$child")"
else
	skip nested_container_is_named_by_the_outer_ones_files_C62 "no cgroup could be made"
fi
stop_runc outer
for tree in "$v2" /sys/fs/cgroup/*; do
	rmdir "$tree/$top/$outer/$inner" "$tree/$top/$outer" "$tree/$top" "$tree/hostprof-$$"
done 2>/dev/null

if ! have_podman; then
	skip podman_container_has_its_name "podman is missing"
elif ! start_podman two "$SCRATCH/root" /spin 2>/dev/null; then
	skip podman_container_has_its_name "podman cannot run here"
else
	expect_match podman_container_has_its_name \
		"^$container_pid container podman $(container_name two) [0-9a-f]{64}$" \
		"$("$CONTAINER_OF" "$container_pid")"
	monitor=$(awk '{print $4}' "/proc/$container_pid/stat")
	expect_no_match podman_monitor_is_not_the_container \
		"$(container_name two)" "$("$CONTAINER_OF" "$monitor")"
	stop_podman two
fi
