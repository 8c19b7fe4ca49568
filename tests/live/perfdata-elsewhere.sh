#!/usr/bin/env bash
# A perf.data whose files are not where they were: found below --symfs and
# --debug-dir if they are the recorded ones by build-id, else refused (C19).
. "$(dirname "$0")/../lib.sh"
need_root
command -v perf >/dev/null || skip_all "needs perf (linux-perf)"
cd "$SCRATCH" || exit 1

cat >away.c <<'END'
static volatile long sum;
__attribute__((noipa)) static void spin_far_away(long n) { while (n--) sum++; }
int main(void) { spin_far_away(EXTRA + 200000000); return 0; }
END
gcc -O1 -g -Wl,--build-id -DEXTRA=0 away.c -o away || exit 1
gcc -O1 -g -Wl,--build-id -DEXTRA=1 away.c -o other || exit 1
# By path in the build-id table, or in each MMAP2.
perf record -q -e cpu-clock -F 499 -o away.data -- ./away >/dev/null 2>&1 ||
	perf record -q --buildid-mmap -e cpu-clock -F 499 -o away.data -- ./away >/dev/null 2>record.err ||
	skip_all "perf record fails here: $(head -1 record.err)"
perf record -q -e cpu-clock -F 499 -o - -- ./away 2>/dev/null >piped.data

named() { "$HOSTPROF" report "$@" --by function -n 0 --format json 2>/dev/null | jq '[.rows[] | select(.function == "spin_far_away")] | length'; }
expect where_it_was 1 "$(named away.data)"
expect through_a_pipe 1 "$(cat away.data | "$HOSTPROF" report - --by function -n 0 --format json | jq '[.rows[] | select(.function == "spin_far_away")] | length')"
expect stream 1 "$(named - <piped.data)"

mkdir -p "symfs$SCRATCH" "wrong$SCRATCH" debug/.build-id
cp other "wrong$SCRATCH/away"
id=$(readelf -n away | sed -n 's/.*Build ID: //p')
mkdir -p "debug/.build-id/${id:0:2}"
objcopy --only-keep-debug away "debug/.build-id/${id:0:2}/${id:2}.debug"
mv away "symfs$SCRATCH/away"
expect gone 0 "$(named away.data)"
expect symfs 1 "$(named away.data --symfs "$SCRATCH/symfs")"
expect C19_wrong_file_is_refused 0 "$(named away.data --symfs "$SCRATCH/wrong")"
strip "symfs$SCRATCH/away"
expect stripped 0 "$(named away.data --symfs "$SCRATCH/symfs")"
expect debug_dir 1 "$(named away.data --symfs "$SCRATCH/symfs" --debug-dir "$SCRATCH/debug")"
cp other away
expect C19_replaced_file_is_refused 0 "$(named away.data)"
