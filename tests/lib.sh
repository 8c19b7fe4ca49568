# Sourced by every live test: results, a scratch directory, small checks.
# A test prints "ok NAME", "not ok NAME: why" or "skip NAME: why" per case.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
ROOT=$PWD
HOSTPROF=$ROOT/hostprof
TARGETS=$ROOT/build/targets
CORPUS=$ROOT/../shared/corpus
SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/hostprof-test.XXXXXX")
lib_failed=0
lib_pids=()

lib_end() {
	local status=$?
	[ ${#lib_pids[@]} -eq 0 ] || kill -9 "${lib_pids[@]}" 2>/dev/null
	type cleanup >/dev/null 2>&1 && cleanup
	rm -rf "$SCRATCH"
	[ $status -ne 0 ] && exit $status
	exit $lib_failed
}
trap lib_end EXIT

ok() { echo "ok $1"; }
not_ok() { echo "not ok $1: $2"; lib_failed=1; }
skip() { echo "skip $1: $2"; }
skip_all() { echo "$1"; trap - EXIT; rm -rf "$SCRATCH"; exit 77; }

# background COMMAND…: started now, killed at the end of the test.
background() { "$@" >/dev/null 2>&1 & lib_pids+=($!); }

# expect NAME WANT GOT
expect() { if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "want '$2', got '$3'"; fi; }
# expect_match NAME REGEX TEXT
expect_match() { if grep -qE -- "$2" <<<"$3"; then ok "$1"; else not_ok "$1" "no /$2/ in: $(head -c 600 <<<"$3" | tr '\n' '~')"; fi; }
# expect_no_match NAME REGEX TEXT
expect_no_match() { if grep -qE -- "$2" <<<"$3"; then not_ok "$1" "/$2/ in: $(grep -m1 -E -- "$2" <<<"$3")"; else ok "$1"; fi; }
# expect_between NAME LOW HIGH VALUE (decimal numbers)
expect_between() {
	if awk -v l="$2" -v h="$3" -v v="$4" 'BEGIN{exit !(v != "" && v+0 >= l && v+0 <= h)}'; then ok "$1"; else not_ok "$1" "'$4' is not in $2 to $3"; fi
}
# need_npm: the packages pinned in tests/npm, installed into $npm.
need_npm() {
	npm=$ROOT/build/npm
	command -v npm >/dev/null && command -v node >/dev/null || skip_all "no node and npm"
	cmp -s tests/npm/package-lock.json "$npm/installed" && return
	mkdir -p "$npm"
	cp tests/npm/package.json tests/npm/package-lock.json tests/npm/.npmrc "$npm" &&
		(cd "$npm" && npm ci --silent) >"$SCRATCH/npm" 2>&1 &&
		cp tests/npm/package-lock.json "$npm/installed" ||
		skip_all "npm ci failed: $(tail -1 "$SCRATCH/npm")"
}
need_root() { [ "$(id -u)" = 0 ] || skip_all "needs root"; }
