#!/usr/bin/env bash
# The flame graph page in headless Chromium: every view drawn, every
# interaction driven, nothing asked of the network, hostile names as data.
# Screenshots are left in build/page.
. "$(dirname "$0")/../lib.sh"

need_npm
command -v chromium >/dev/null || skip_all "no chromium"
export HOME=$SCRATCH
make -s build/programs/page_profile || exit 1
for kind in story after hostile empty bare; do
	build/programs/page_profile "$kind" "$SCRATCH/$kind.pb.gz" || exit 1
	"$HOSTPROF" flame "$SCRATCH/$kind.pb.gz" -o "$SCRATCH/$kind.html" || exit 1
done
"$HOSTPROF" flame -o "$SCRATCH/diff.html" "$SCRATCH/story.pb.gz" -- "$SCRATCH/after.pb.gz" || exit 1
"$HOSTPROF" report "$SCRATCH/story.pb.gz" --by function --format json >"$SCRATCH/story.json" || exit 1

expect wrong_usage_no_page 2 "$("$HOSTPROF" flame "$SCRATCH/story.pb.gz" >/dev/null 2>&1; echo $?)"
expect wrong_usage_no_after 2 "$("$HOSTPROF" flame -o "$SCRATCH/x.html" "$SCRATCH/story.pb.gz" -- >/dev/null 2>&1; echo $?)"
expect no_page_of_no_profile 1 "$("$HOSTPROF" flame /etc/passwd -o "$SCRATCH/x.html" >/dev/null 2>&1; echo $?)"
[ ! -e "$SCRATCH/x.html" ] && ok nothing_is_left_behind || not_ok nothing_is_left_behind "a page of nothing"

mkdir -p build/page
node tests/programs/page.mjs "$npm/node_modules" "$SCRATCH" build/page
[ $? -eq 0 ] || lib_failed=1
