#!/usr/bin/env bash
# The files behind mappings on a running kernel: replaced, deleted, in a
# memfd, in another root, on overlayfs, of a process that is gone.
. "$(dirname "$0")/../lib.sh"
need_root
cd "$SCRATCH" || exit 1
FILES_OF=$(dirname "$TARGETS")/programs/files_of

cleanup() {
	umount "$SCRATCH/merged" "$SCRATCH/other" 2>/dev/null
	[ -z "${perf_map:-}" ] || rm -f "$perf_map"
}

# Two builds of a program that waits, so with two build-ids.
for build in 1 2; do
	gcc -O1 -DBUILD=$build -o wait$build -x c - <<<'#include <unistd.h>
int build = BUILD;
int main(void) { for (;;) pause(); }' || exit 1
done
id_of() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }
one=$(id_of wait1) two=$(id_of wait2)
[ "$one" != "$two" ] || exit 1

# start COMM PROGRAM…: runs it until that name has its code mapped; its pid is
# in $pid.
start() {
	background "${@:2}"
	pid=${lib_pids[-1]}
	ask forget 0
	until [[ "$(cat "/proc/$pid/comm")" =~ ^($1)$ ]] && grep -q 'libc\.so' "/proc/$pid/maps"; do
		sleep 0.01
	done 2>/dev/null
}
stop() { kill -9 "$pid"; wait "$pid"; ask end "$pid"; } 2>/dev/null

# ask COMMAND…: an answer of files_of, without its last line.
coproc MODEL { exec "$FILES_OF"; }
exec {question}>&"${MODEL[1]}" {answer}<&"${MODEL[0]}"
ask() {
	local line
	printf '%s\n' "$*" >&"$question"
	while read -r line <&"$answer"; do
		case $line in done\ *) return ;; esac
		printf '%s\n' "$line"
	done
}
file_line() { ask open "$pid" | grep "^$1 "; }

cp wait1 prog
start prog ./prog
ask see "$pid"
expect "a file in its place" "$SCRATCH/prog open map_files $one" "$(file_line "$SCRATCH/prog")"

# Without the capabilities that map_files needs: the link to the executable,
# the path below the process's root for what else has one.
less=$(printf 'see %s\nopen %s\n' "$pid" "$pid" |
	setpriv --bounding-set -sys_admin,-checkpoint_restore "$FILES_OF")
expect_match "fewer capabilities: the program" "^$SCRATCH/prog open exe $one" "$less"
expect_match "fewer capabilities: a library" 'libc\.so\.6 open root [0-9a-f]+' "$less"

# C14: removed, replaced, written anew.
for way in removed replaced rewritten; do
	cp wait1 "$way"
	start "$way" "./$way"
	case $way in
	removed) rm "$way" ;;
	replaced) mv wait2 "$way" && cp "$way" wait2 ;;
	rewritten) rm "$way" && cp wait2 "$way" ;;
	esac
	ask see "$pid"
	expect "C14: $way, the old file is opened" "$SCRATCH/$way open before $one" \
		"$(file_line "$SCRATCH/$way" | sed 's/ map_files / before /; s/ deleted$//')"
done

# The same when nothing but the path is left: the new file is refused.
cp wait1 gone
start gone ./gone
ask see "$pid"
mv wait2 gone && cp gone wait2
stop
expect "C14: only the new file is left" "" "$(file_line "$SCRATCH/gone" | grep " open .*$two")"

# C15: a program in a memfd, and a JIT compiler's heap in one.
start '[0-9]+|exe|memfd:prog' "$TARGETS/memfd" exec "$SCRATCH/wait1"
ask see "$pid"
expect "C15: program in a memfd" "/memfd:prog open before $one" \
	"$(file_line /memfd:prog | sed 's/ map_files / before /; s/ deleted$//')"
start memfd "$TARGETS/memfd" heap 60
perf_map=/tmp/perf-$pid.map
until [ -s "$perf_map" ]; do sleep 0.01; done
ask see "$pid"
expect "C15: heap in a memfd goes to the perf map" "$perf_map open root" "$(file_line "$perf_map")"
expect "C15: heap in a memfd is no file" "" "$(file_line /memfd:heap)"

# C17: another file at the same path, seen only in another mount namespace.
start prog unshare -m sh -c "mount --bind '$SCRATCH/wait2' '$SCRATCH/prog' && exec '$SCRATCH/prog'"
ask see "$pid"
ask open "$pid" >opened
expect_match "C17: the file that the process sees" "^($SCRATCH/prog|$SCRATCH/wait2) open (map_files|before) $two" "$(cat opened)"
expect_no_match "C17: not the host's" "$one" "$(cat opened)"

# … and when it has ended, with its mount namespace pinned. A tmpfs that no
# other process sees; nothing of it was opened before the end.
mkdir -p other
start only unshare -m sh -c "mount -t tmpfs tmpfs '$SCRATCH/other' && cp '$SCRATCH/wait1' '$SCRATCH/other/only' && exec '$SCRATCH/other/only'"
ask see "$pid"
stop
expect "C17, C18: ended, in its pinned namespace" "$SCRATCH/other/only open namespace " \
	"$(file_line "$SCRATCH/other/only" | sed "s/$one//; s#^/only#$SCRATCH/other/only#")"

# A chroot: the path in maps is the host's, the root is another.
mkdir -p jail/bin && cp wait1 jail/bin/prog
libs=$(ldd wait1 | grep -oE '/[^ ]+')
for lib in $libs; do mkdir -p "jail$(dirname "$lib")" && cp "$lib" "jail$lib"; done
start prog chroot jail /bin/prog
ask see "$pid"
expect_match "C17: chroot" "jail/bin/prog open map_files $one|jail/bin/prog open before $one" "$(ask open "$pid")"

# C17: overlayfs over two file systems, where stat and maps differ.
mkdir -p lower upper merged
if mount -t tmpfs tmpfs upper && mkdir upper/up upper/work && cp wait2 lower/prog &&
	mount -t overlay overlay -o "lowerdir=lower,upperdir=upper/up,workdir=upper/work" merged; then
	cp wait1 merged/new
	for name in prog:$two new:$one; do
		start "${name%:*}" "merged/${name%:*}"
		ask see "$pid"
		stop
		# The process is gone: only the path is left to prove it by.
		expect_match "C17: overlayfs, ${name%:*}" "^$SCRATCH/merged/${name%:*} open (host|before) ${name#*:}" \
			"$(file_line "$SCRATCH/merged/${name%:*}")"
	done
	ask forget 0
	umount merged
else
	skip "C17: overlayfs" "cannot mount it here"
fi
ask forget 0
umount upper 2>/dev/null

# C18: the process is gone and its file is deleted, but it was opened in time.
cp wait1 brief
start brief ./brief
ask see "$pid"
ask open "$pid" >/dev/null
rm brief
stop
expect_match "C18: opened while it lived" "^$SCRATCH/brief open before $one" "$(file_line "$SCRATCH/brief")"
