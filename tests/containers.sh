# Sourced by live tests that need real containers: runc and podman, on a
# machine that may have neither systemd nor cgroup controllers for v2.
# Containers are named hostprof-NAME-PID, so that several runs do not meet.

# containers_rootfs DIR PROGRAM…: a root that holds static programs only.
containers_rootfs() {
	local dir=$1
	shift
	mkdir -p "$dir/proc" "$dir/sys" "$dir/dev" "$dir/etc" "$dir/tmp"
	cp "$@" "$dir/"
}

container_name() { echo "hostprof-$1-$$"; }

have_runc() { command -v runc >/dev/null && command -v jq >/dev/null; }
have_podman() { have_runc && command -v podman >/dev/null; }

# start_runc NAME DIR COMMAND…: starts it and waits until it runs. Its cgroup
# is /NAME below whatever hierarchies the machine has. Sets container_pid.
start_runc() { start_runc_at "/$(container_name "$1")" "$@"; }

# start_runc_at CGROUP NAME DIR COMMAND…
start_runc_at() {
	local name bundle cgroup=$1
	shift
	name=$(container_name "$1") bundle=$SCRATCH/runc-$1
	mkdir -p "$bundle"
	(cd "$bundle" && rm -f config.json && runc spec) || return 1
	jq --arg root "$2" --arg path "$cgroup" '.process.terminal = false
		| .process.args = $ARGS.positional | .process.rlimits = []
		| .root.path = $root | .linux.cgroupsPath = $path
		| .linux.resources = {}' "$bundle/config.json" \
		--args "${@:3}" >"$bundle/new.json" || return 1
	mv "$bundle/new.json" "$bundle/config.json"
	containers_runc+=("$name")
	runc run -d --bundle "$bundle" --pid-file "$bundle/pid" "$name" \
		</dev/null >"$bundle/out" 2>"$bundle/err" || {
		cat "$bundle/err" >&2
		return 1
	}
	container_pid=$(cat "$bundle/pid")
}

stop_runc() { runc delete --force "$(container_name "$1")" 2>/dev/null; }

podman_here() {
	CONTAINERS_CONF=$SCRATCH/containers.conf podman --storage-driver vfs "$@"
}

# start_podman NAME DIR COMMAND…: as start_runc; podman removes it at its end.
start_podman() {
	local name
	name=$(container_name "$1")
	printf '[engine]\nruntime="runc"\ncgroup_manager="cgroupfs"\nevents_logger="file"\n' \
		>"$SCRATCH/containers.conf"
	containers_podman+=("$name")
	podman_here run -d --rm --name "$name" --network=none \
		--ulimit nofile=1024:1024 --ulimit nproc=1024:1024 \
		--rootfs "$2" "${@:3}" </dev/null >"$SCRATCH/podman-$1" \
		2>"$SCRATCH/podman-$1.err" || {
		cat "$SCRATCH/podman-$1.err" >&2
		return 1
	}
	container_pid=$(podman_here inspect -f '{{.State.Pid}}' "$name" 2>/dev/null)
}

stop_podman() { podman_here rm --force --time 0 "$(container_name "$1")" >/dev/null 2>&1; }

containers_runc=()
containers_podman=()

# To be called from the test's cleanup().
containers_cleanup() {
	local name
	for name in ${containers_runc[@]+"${containers_runc[@]}"}; do
		runc delete --force "$name" 2>/dev/null
	done
	for name in ${containers_podman[@]+"${containers_podman[@]}"}; do
		podman_here rm --force --time 0 "$name" >/dev/null 2>&1
	done
}
