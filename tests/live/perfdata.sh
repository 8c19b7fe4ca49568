#!/usr/bin/env bash
# perf.data both ways: what perf records here, read by us, against perf script
# line by line; what we write, in perf, hotspot and autofdo.
. "$(dirname "$0")/../lib.sh"
need_root
command -v perf >/dev/null || skip_all "needs perf (linux-perf)"
TEXT=$ROOT/build/programs/perfdata_text
COPY=$ROOT/build/programs/perfdata_copy
PERFPARSER=/usr/lib/x86_64-linux-gnu/libexec/hotspot-perfparser
make -s "${TEXT#"$ROOT"/}" "${COPY#"$ROOT"/}" || exit 1
cd "$SCRATCH" || exit 1

# Two processes and a thread's worth of forks, calls five deep.
cat >spin.c <<'END'
#include <sys/wait.h>
#include <unistd.h>
static volatile long sum;
__attribute__((noinline)) static void leaf(long n) { while (n--) sum++; }
__attribute__((noinline)) static void middle(long n) { leaf(n); sum++; }
int main(void)
{
	for (int i = 0; i < 4; i++)
		if (!fork()) {
			middle(25000000);
			execl("/bin/true", "true", (char *)0);
		}
	middle(25000000);
	while (wait(0) > 0)
		;
	return 0;
}
END
gcc -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls spin.c -o spin || exit 1

# perf script's samples, one line each, its columns single spaces.
their_samples() { perf script -i "$1" -F "comm,pid,tid,${2:-}time,period,event" --ns --no-inline 2>/dev/null | grep ': *$' | sed -E 's/^ +//; s/ +/ /g; s/ $//'; }
# The addresses of its callchains, as perf dumps them: -F ip would show user
# addresses as offsets in their files.
their_chains() { perf script -D --no-inline -i "$1" 2>/dev/null | sed -nE 's/^\.+ +[0-9]+: 0*([0-9a-f]+)$/\1/p' | grep -vP '^f{13}(?!000)[0-9a-f]{3}$'; }

same() { # NAME THEIRS OURS
	[ -s "$2" ] || { not_ok "$1" "perf printed nothing"; return; }
	if cmp -s "$2" "$3"; then ok "$1"; else not_ok "$1" "$(diff "$2" "$3" | head -4 | tr '\n' '~')"; fi
}

same_file() { # NAME FILE [cpu,]
	their_samples "$2" "${3:-}" >theirs
	"$TEXT" "$2" 2>notes >both
	grep ':$' both >ours
	same "$1_samples" theirs ours
	their_chains "$2" >theirs
	grep -v ':$' both >ours
	[ ! -s theirs ] || same "$1_callchains" theirs ours
	expect "$1_notes" "" "$(cat notes)"
}

# perf makes a sample of each counter that a group's leader read, with what it
# counted as the period; a sample of ours is a sample that was taken.
same_group() { # NAME FILE
	their_samples "$2" | grep 'cpu-clock:' | sed 's/: [0-9]* cpu/: cpu/' >theirs
	"$TEXT" "$2" 2>/dev/null | grep ':$' | sed 's/: [0-9]* cpu/: cpu/' >ours
	same "$1_samples" theirs ours
	their_chains "$2" >theirs
	"$TEXT" "$2" 2>/dev/null | grep -v ':$' >ours
	same "$1_callchains" theirs ours
}

record() { perf record -q -N -o "$@" -- ./spin >/dev/null 2>record.err || { not_ok "record $1" "$(head -1 record.err)"; return 1; }; }

record fp.data -a -g -e cpu-clock -F 999 && same_file frame_pointers fp.data cpu,
record two.data -g -e cpu-clock -e page-faults -c 100000 && same_file two_events two.data
record group.data -g -e '{cpu-clock,page-faults}:S' -F 999 && same_group C56_group group.data
record zstd.data -a -g -z -e cpu-clock -e page-faults -F 4999 && same_file C57_compressed zstd.data cpu,
record switches.data -a -g --switch-events --namespaces -e cpu-clock -F 999 && same_file switches switches.data cpu,
record nochain.data -e cpu-clock -F 999 && same_file no_callchains nochain.data
perf record -q -N -g -e cpu-clock -F 999 -o - -- ./spin >pipe.data 2>/dev/null && same_file pipe pipe.data
perf record -q -N -z -g -e cpu-clock -F 999 -o - -- ./spin >zpipe.data 2>/dev/null && same_file compressed_pipe zpipe.data
expect standard_input "$("$TEXT" fp.data | md5sum)" "$(cat fp.data | "$TEXT" - | md5sum)"

# perf unwinds user stacks by itself: what was recorded is the kernel's part.
record dwarf.data -a --call-graph dwarf,8192 -e cpu-clock -F 499 && same_file dwarf dwarf.data cpu,

# C58: a recording whose perf was killed.
perf record -q -N -a -g -m 4 -e cpu-clock -F 999 -o killed.data -- sleep 5 >/dev/null 2>&1 &
sleep 2; kill -9 $!; wait $! 2>/dev/null
"$TEXT" killed.data >killed.ours 2>killed.notes
expect_between C58_killed_samples 1 1000000 "$(grep -c ':$' killed.ours)"
expect_match C58_killed_note 'not finished' "$(cat killed.notes)"

# Written by us.
same_report() { # NAME FILE OUR_FILE
	for file in "$2" "$3"; do
		perf report -i "$file" --stdio --no-children --no-inline -g none --sort comm,dso,sym 2>/dev/null | grep -v '^#' | grep . >"$file.report"
		perf script --no-inline -i "$file" 2>"$file.err" >"$file.script"
	done
	expect "$1_report" "$(md5sum <"$2.report")" "$(md5sum <"$3.report")"
	expect "$1_script" "$(md5sum <"$2.script")" "$(md5sum <"$3.script")"
	expect "$1_no_warning" "" "$(cat "$3.err")"
	[ -s "$3.report" ] || not_ok "$1_report" "it is empty"
}
"$COPY" fp.data fp.our.data && same_report written fp.data fp.our.data
"$COPY" two.data two.our.data && same_report written_two_events two.data two.our.data
"$COPY" --cgroups fp.data cgroups.data && perf report -i cgroups.data --stdio --sort cgroup >cgroups.txt 2>&1
expect_match written_cgroups '100.00%' "$(cat cgroups.txt)"
"$COPY" fp.our.data again.data
expect written_again "$(md5sum <fp.our.data)" "$(md5sum <again.data)"

if [ -x $PERFPARSER ]; then
	$PERFPARSER --input fp.our.data --output fp.parsed >perfparser.txt 2>&1
	expect hotspot_status 0 $?
	expect_between hotspot_size 1000 1000000000 "$(stat -c %s fp.parsed 2>/dev/null)"
	expect_no_match hotspot_errors 'unhandled event|malformed|invalid header|error' "$(cat perfparser.txt)"
else
	skip hotspot "no hotspot-perfparser"
fi
if command -v create_gcov >/dev/null; then
	for file in fp.data fp.our.data; do
		create_gcov --binary=./spin --profile=$file --gcov=$file.gcov -gcov_version=2 --use_lbr=false >gcov.txt 2>&1
	done
	expect autofdo_same_profile "$(md5sum <fp.data.gcov)" "$(md5sum <fp.our.data.gcov)"
	expect_no_match autofdo_unknown_records 'Unknown event' "$(cat gcov.txt)"
else
	skip autofdo "no create_gcov"
fi
