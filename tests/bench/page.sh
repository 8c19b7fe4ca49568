#!/usr/bin/env bash
# How fast the flame graph page is, beside d3-flame-graph in the same run, and
# how large a page of a million samples is.
. "$(dirname "$0")/../lib.sh"

need_npm
command -v chromium >/dev/null || skip_all "no chromium"
export HOME=$SCRATCH
for kind in frames million; do
	build/programs/page_profile "$kind" "$SCRATCH/$kind.pb.gz" || exit 1
	"$HOSTPROF" flame "$SCRATCH/$kind.pb.gz" -o "$SCRATCH/$kind.html" || exit 1
	printf '%-8s %s bytes of profile, %s bytes of page\n' "$kind" \
		"$(stat -c %s "$SCRATCH/$kind.pb.gz")" "$(stat -c %s "$SCRATCH/$kind.html")"
done
node tests/bench/page.mjs "$npm/node_modules" "$SCRATCH"
