#!/usr/bin/env bash
# Real containers by name: runc and podman, while they run and when they are
# gone before anybody prints; their shares, processes and functions in a
# recording of the whole host.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/containers.sh"
cleanup() { containers_cleanup; }
need_root
have_runc || skip_all "runc or jq is missing"

CONTAINER_OF=$ROOT/build/programs/container_of
containers_rootfs "$SCRATCH/root" "$TARGETS/burn"

# The v2 tree, whose ids samples carry.
v2=$(awk '/ - cgroup2 /{print $5; exit}' /proc/self/mountinfo)

test_runc() {
	local watcher
	start_runc one "$SCRATCH/root" /burn 1000 || skip_all "runc cannot run here"
	expect runc_container_has_its_name \
		"$container_pid container runc $(container_name one) $(container_name one)" \
		"$("$CONTAINER_OF" "$container_pid")"

	"$CONTAINER_OF" --watch 2 "$container_pid" >"$SCRATCH/gone" &
	watcher=$!
	sleep 0.5
	stop_runc one
	wait $watcher
	expect_match runc_container_keeps_its_name_when_gone_C62 \
		"^$container_pid container runc $(container_name one) " \
		"$(cat "$SCRATCH/gone")"
}

# wait_child PID: its first child, waited for.
wait_child() {
	local i
	for ((i = 0; i < 100; i++)); do
		pgrep -P "$1" && return
		sleep 0.05
	done
}

# A container in a container: the name is in a file of the outer one, which is
# read through /proc/PID/root of a process there.
test_nested() {
	local outer inner child tree top=hostprof-$$/docker
	outer=$(printf 'a%063d' $$) inner=$(printf 'b%063d' $$)
	mkdir -p "$SCRATCH/root/var/lib/docker/containers/$inner"
	echo '{"Name":"/inner"}' \
		>"$SCRATCH/root/var/lib/docker/containers/$inner/config.v2.json"
	start_runc_at "/$top/$outer" outer "$SCRATCH/root" /burn 1000 fork
	child=$(wait_child "$container_pid")
	if [ -n "$child" ] && mkdir "$v2/$top/$outer/$inner" 2>/dev/null &&
		echo "$child" >"$v2/$top/$outer/$inner/cgroup.procs"; then
		expect_match nested_container_is_named_by_the_outer_ones_files_C62 \
			"^$child container docker inner $inner$" \
			"$("$CONTAINER_OF" "$child")"
	else
		skip nested_container_is_named_by_the_outer_ones_files_C62 \
			"no cgroup could be made"
	fi
	stop_runc outer
	for tree in "$v2" /sys/fs/cgroup/*; do
		rmdir "$tree/$top/$outer/$inner" "$tree/$top/$outer" "$tree/$top" \
			"$tree/hostprof-$$"
	done 2>/dev/null
}

test_podman() {
	local monitor
	start_podman two "$SCRATCH/root" /burn 1000 2>/dev/null || {
		skip podman_container_has_its_name "podman is missing or cannot run here"
		return
	}
	expect_match podman_container_has_its_name \
		"^$container_pid container podman $(container_name two) [0-9a-f]{64}$" \
		"$("$CONTAINER_OF" "$container_pid")"
	monitor=$(awk '{print $4}' "/proc/$container_pid/stat")
	expect_no_match podman_monitor_is_not_the_container \
		"$(container_name two)" "$("$CONTAINER_OF" "$monitor")"
	stop_podman two
}

# wait_cpu PID SECONDS: until the process has taken that much CPU time; 60 s.
wait_cpu() {
	local i ns
	for ((i = 0; i < 1200; i++)); do
		read -r ns _ <"/proc/$1/schedstat" || return 1
		awk -v ns="$ns" -v s="$2" 'BEGIN{exit !(ns / 1e9 >= s)}' && return
		sleep 0.05
	done
	return 1
}

# record_start PROFILE; record_end NAME: a recording in the background.
record_start() {
	"$HOSTPROF" record -F 499 -d 120 -q -o "$1" 2>"$SCRATCH/err" &
	recorder=$!
	sleep 0.5
}

record_end() {
	kill -INT $recorder
	wait $recorder
	expect "$1_recording_ends_well" "0 " "$? $(head -c 300 "$SCRATCH/err")"
}

stop_three() { stop_runc "$1-a"; stop_runc "$1-b"; stop_podman "$1-c"; }

# record_three NAME PROFILE: two runc and one podman container that take 1.2,
# 0.6 and 0.6 s of CPU time; "removed" ones are so 0.2 s before the end.
record_three() {
	local pids=()
	record_start "$2"
	start_runc "$1-a" "$SCRATCH/root" /burn 1.2 && pids+=("$container_pid")
	start_runc "$1-b" "$SCRATCH/root" /burn 0.6 && pids+=("$container_pid")
	start_podman "$1-c" "$SCRATCH/root" /burn 0.6 2>/dev/null &&
		pids+=("$container_pid")
	wait_cpu "${pids[0]}" 1.2
	wait_cpu "${pids[1]}" 0.6
	[ -z "${pids[2]:-}" ] || wait_cpu "${pids[2]}" 0.6
	[ "$1" = alive ] || stop_three "$1"
	sleep 0.2
	record_end "$1"
	[ "$1" != alive ] || stop_three "$1"
}

report_rows() {
	"$HOSTPROF" report --by container,process,function --format json -n 0 "$1" \
		>"$SCRATCH/rows.json"
}

# of_container NAME FILTER: what jq says of the container's rows.
of_container() {
	jq -r --arg name "$1" "[.rows[] | select(.container == \$name)] | $2" \
		"$SCRATCH/rows.json"
}

# check_three NAME PROFILE: names, shares, processes, functions.
check_three() {
	local letter container bounds
	report_rows "$2"
	for letter in a b c; do
		container=$(container_name "$1-$letter")
		[ $letter = c ] && ! have_podman && continue
		bounds=(0.5 0.8)
		[ $letter = a ] && bounds=(1.0 1.5)
		expect_between "${1}_${letter}_has_its_cpu_time" "${bounds[@]}" \
			"$(of_container "$container" 'map(.self_ns) | add / 1e9')"
		expect "${1}_${letter}_has_its_process" burn \
			"$(of_container "$container" 'max_by(.self_ns).process.comm')"
		expect "${1}_${letter}_has_its_function" burn_cpu \
			"$(of_container "$container" 'max_by(.self_ns).function')"
	done
}

# burn_in CGROUP: 0.3 s of CPU time in a cgroup made for it, which is removed
# at once.
burn_in() {
	mkdir "$v2/$1" || return
	sh -c 'echo $$ >"$1/cgroup.procs" && exec "$2" 0.3' - "$v2/$1" \
		"$TARGETS/burn" &
	wait_cpu $! 0.3
	kill -9 $!
	wait $! 2>/dev/null
	rmdir "$v2/$1"
}

# A cgroup of Docker's that is gone at the end, and another one in its place.
test_removed_and_reused() {
	local id
	id=$(printf 'c%063d' $$)
	record_start "$SCRATCH/reused.pb.gz"
	burn_in "docker-$id.scope"
	burn_in "docker-$id.scope"
	record_end reused
	report_rows "$SCRATCH/reused.pb.gz"
	expect_between cgroup_removed_and_reused_keeps_its_id_C62 0.5 0.8 \
		"$(of_container "[${id:0:12}] burn" 'map(.self_ns) | add / 1e9')"
}

# Containers of 100 ms of CPU time, removed as soon as they have had it. (Of 30
# ms nearly all are named; which of them is a race with the runtime.)
test_short() {
	local i
	record_start "$SCRATCH/short.pb.gz"
	for i in 1 2 3 4 5; do
		start_runc "short$i" "$SCRATCH/root" /burn 0.1
		wait_cpu "$container_pid" 0.1
		stop_runc "short$i"
	done
	record_end short
	report_rows "$SCRATCH/short.pb.gz"
	expect short_containers_have_their_names "short1 short2 short3 short4 short5" \
		"$(jq -r '[.rows[] | select(.process.comm == "burn") | .container] | unique
			| map(sub("^hostprof-"; "") | sub("-[0-9]+$"; "")) | join(" ")' "$SCRATCH/rows.json")"
}

# What --container and --cgroup leave of a recording: only the one asked for.
test_filters() {
	local name option
	start_runc only "$SCRATCH/root" /burn 1000
	name=$(container_name only)
	for option in --container --cgroup; do
		"$HOSTPROF" record -F 499 -d 1 -q "$option" "$name" \
			-o "$SCRATCH/only.pb.gz"
		report_rows "$SCRATCH/only.pb.gz"
		expect "record${option}_leaves_that_one" "$name" \
			"$(jq -r '[.rows[].container] | unique | join(" ")' "$SCRATCH/rows.json")"
	done
	stop_runc only
}

test_runc
test_nested
test_podman
for name in alive removed; do
	record_three $name "$SCRATCH/$name.pb.gz"
	check_three $name "$SCRATCH/$name.pb.gz"
done
test_removed_and_reused
test_short
test_filters
