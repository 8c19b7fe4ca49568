#!/usr/bin/env bash
# record --raw: a perf.data with unwound stacks, in perf, hotspot, autofdo and
# our own report; what is left of it after kill -9.
. "$(dirname "$0")/../lib.sh"
need_root
command -v perf >/dev/null || skip_all "needs perf (linux-perf)"
PERFPARSER=/usr/lib/x86_64-linux-gnu/libexec/hotspot-perfparser
TEXT=$ROOT/build/programs/perfdata_text
make -s "${TEXT#"$ROOT"/}" || exit 1
cd "$SCRATCH" || exit 1

# No frame pointers: the callers are there only if the stack was unwound.
cat >rawspin.c <<'END'
#include <time.h>
static volatile long sum;
__attribute__((noipa)) static void leaf(long n) { while (n--) sum++; }
__attribute__((noipa)) static void middle(long n) { leaf(n); sum++; }
int main(void)
{
	struct timespec spent = { 0 };
	while (spent.tv_sec < 1) {
		middle(1000000);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
	}
	return 0;
}
END
gcc -O2 -g -fomit-frame-pointer -fno-optimize-sibling-calls rawspin.c -o rawspin || exit 1

"$HOSTPROF" record -F 999 -o raw.data -- ./rawspin >summary.txt 2>record.err
expect status 0 $?
expect_match summary 'written to raw.data' "$(cat summary.txt)"
expect mode 600 "$(stat -c %a raw.data)"

perf script -i raw.data --no-inline --comm rawspin -F ip,sym >script.txt 2>script.err
expect no_warning "" "$(grep -v -e '^Warning:$' -e 'lost' -e IO/CPU -e '^$' script.err)"
stacks=$(tr -s '\t ' ' ' <script.txt | awk 'BEGIN{RS=""} /leaf/ && /middle/ && /main/ && /_start/{n++} END{print n+0, NR}')
expect_between perf_sees_whole_stacks 95 100 "$(awk '{print $2 ? 100 * $1 / $2 : 0}' <<<"$stacks")"

# The same shares in perf's report and in ours.
theirs=$(perf report -i raw.data --stdio --no-children --no-inline -g none --sort comm,sym 2>/dev/null | awk '$2 == "rawspin" && $4 == "leaf"{print $1 + 0}')
ours=$("$HOSTPROF" report raw.data --by comm,function -n 0 --no-inline --format json | jq '[.rows[] | select(.comm == "rawspin" and .function == "leaf")][0].share * 100')
expect_between share_is_there 1 100 "$ours"
expect_between same_share -0.6 0.6 "$(awk -v a="$theirs" -v b="$ours" 'BEGIN{print a - b}')"
expect_between same_samples 0 0 "$(($("$TEXT" raw.data | grep -c ':$') - $(jq .health.samples <("$HOSTPROF" report raw.data --format json))))"

if [ -x $PERFPARSER ]; then
	$PERFPARSER --input raw.data --output parsed >perfparser.txt 2>&1
	expect hotspot_status 0 $?
	expect_no_match hotspot_errors 'unhandled event|malformed|invalid header' "$(cat perfparser.txt)"
else
	skip hotspot "no hotspot-perfparser"
fi
if command -v create_gcov >/dev/null; then
	create_gcov --binary=./rawspin --profile=raw.data --gcov=raw.gcov -gcov_version=2 --use_lbr=false >gcov.txt 2>&1
	expect autofdo_status 0 $?
	expect_between autofdo_profile 50 1000000 "$(stat -c %s raw.gcov 2>/dev/null)"
else
	skip autofdo "no create_gcov"
fi

# After kill -9 the file is not under its name yet, but all that was flushed
# is in the temporary one beside it.
mkdir killed
background "$TARGETS/shares" 30
"$HOSTPROF" record -F 999 --raw -o killed/k.data >/dev/null 2>&1 &
sleep 2; kill -9 $!; wait $! 2>/dev/null
left=$(find killed -type f | head -1)
"$HOSTPROF" report "$left" --format json >killed.json 2>killed.err
expect_between killed_samples 10 1000000 "$(jq .health.samples killed.json)"
expect_match killed_note 'not finished' "$(jq -r '.notes[].text' killed.json)"

"$HOSTPROF" record -q -d 0.2 --raw -o /dev/full >/dev/null 2>full.err
expect full_disk_status 1 $?
expect_match full_disk 'No space left' "$(cat full.err)"
