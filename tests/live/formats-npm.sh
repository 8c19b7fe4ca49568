#!/usr/bin/env bash
# What we write, opened by npm's pprof-format, by speedscope in Chromium and by
# the Firefox Profiler's own loader. The packages are pinned in tests/npm and
# installed into build/npm.
. "$(dirname "$0")/../lib.sh"

need_npm
export HOME=$SCRATCH
sample() { build/programs/sample_profile "$1" >"$SCRATCH/sample.$1" || exit 1; }
sample pprof
sample speedscope
sample firefox

facts=$(node tests/programs/pprof_format.mjs "$npm/node_modules/pprof-format" "$SCRATCH/sample.pprof" 2>&1)
expect_match pprof_format_cpu '^total cpu/nanoseconds 232323230$' "$facts"
expect_match pprof_format_samples '^total samples/count 23$' "$facts"
expect_match pprof_format_container '^container nginx.service 3$' "$facts"
expect_match pprof_format_comment '^comment hostprof version=1$' "$facts"

# speedscope's page takes a script that hands it the file; its sandwich view is
# a table in the page, which --dump-dom prints.
speedscope() { # FILE NAME
	printf 'speedscope.loadFileFromBase64("%s","%s")' "$2" "$(base64 -w0 "$1")" >"$SCRATCH/load.js"
	timeout 120 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$SCRATCH/chromium" \
		--virtual-time-budget=30000 --dump-dom \
		"file://$npm/node_modules/speedscope/dist/release/index.html#localProfilePath=$SCRATCH/load.js&view=sandwich" \
		2>/dev/null | sed 's/<tr/\n<tr/g; s/<[^>]*>/ /g'
}
if command -v chromium >/dev/null; then
	page=$(speedscope "$SCRATCH/sample.speedscope" x.speedscope.json)
	expect_match speedscope_groups '1 +web +151.52ms' "$page"
	expect_match speedscope_other_group '3 +nginx.service +30.30ms' "$page"
	expect_match speedscope_self '151.52ms \(100%\) +70.71ms \(47%\) +hot' "$page"
	expect_match speedscope_inlined '80.81ms \(53%\) +0.00ns .* ns::outer\(\)' "$page"
	expect_match speedscope_innermost '80.81ms \(53%\) +70.71ms \(47%\) +ns::inner\(int\)' "$page"
	page=$(speedscope "$SCRATCH/sample.pprof" x.pb.gz)
	expect_match speedscope_reads_pprof '(111.11ms|212.12ms|191.92ms) .* (hot|main)' "$page"
else
	skip speedscope "no chromium"
fi

node24=$(ls "$npm"/node_modules/node-linux-*/bin/node 2>/dev/null | head -1)
if [ -n "$node24" ]; then
	loader() { timeout 120 "$node24" "$npm/node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js" "$@" 2>&1; }
	cleanup() { loader stop --all >/dev/null; }
	for _ in 1 2 3 4 5 6 7 8; do # its daemon has half a second to start
		loaded=$(loader load "$SCRATCH/sample.firefox")
		[[ $loaded != *"not become ready"* ]] && break
		sleep 1
	done
	expect_match firefox_loads 'Session started' "$loaded"
	threads=$(loader thread list)
	expect_match firefox_threads '5 threads across 4 processes' "$threads"
	expect_match firefox_cpu 't-2 +worker +prog +77 +80.808ms' "$threads"
	expect_match firefox_second_of_a_pid 't-1 +prog +prog +77.1 +40.404ms' "$threads"
	functions=$(loader thread functions)
	expect_match firefox_self 'prog!ns::inner\(int\) - self: 70.707ms \(87.5%\), total: 80.808ms \(100.0%\)' "$functions"
	expect_match firefox_kernel '\[kernel.kallsyms\]!do_syscall_64 - self: 10.101ms' "$functions"
else
	skip firefox "no node 24 for $(uname -m)"
fi
