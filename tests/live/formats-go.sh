#!/usr/bin/env bash
# Our pprof files, read by go tool pprof and by Google's own Go package.
. "$(dirname "$0")/../lib.sh"

command -v go >/dev/null || skip_all "no go"
[ -d /usr/share/gocode/src/github.com/google/pprof/profile ] ||
	skip_all "no golang-github-google-pprof-dev"
export GO111MODULE=off GOPATH=/usr/share/gocode GOCACHE=$SCRATCH/cache GOFLAGS=-buildvcs=false
export HOME=$SCRATCH PPROF_TMPDIR=$SCRATCH
sample=$SCRATCH/sample.pb.gz
check=$SCRATCH/pprof_check
go build -o "$check" tests/programs/pprof_check.go || skip_all "go build failed"
build/programs/sample_profile pprof >"$sample" || exit 1
pprof() { go tool pprof -symbolize=none "$@" "$sample" 2>&1; }

facts=$("$check" "$sample")
expect valid_for_the_go_package 0 $?
expect_match total_samples '^total samples/count 23$' "$facts"
expect_match total_cpu '^total cpu/nanoseconds 232323230$' "$facts"
expect_match default_and_period '^default cpu period 10101010 time 1764530585123456789 duration 10000000001$' "$facts"
expect_match label_container '^label container=web 19$' "$facts"
expect_match label_comm_escaped 'label comm=a b\) S\\n1 ;x\\xff 3$' "$facts"
expect_match label_cpu_0 '^label cpu=0 13$' "$facts"
expect_match label_state '^label state=kernel 2$' "$facts"

top=$(pprof -top -nodecount=20)
expect_match top_total 'Total samples = 232.32ms' "$top"
expect_match top_hot '^ *111.11ms 47.83% .* hot$' "$top"
expect_match top_inlined '^ *70.71ms 30.43% .* ns::inner\(int\) \(inline\)$' "$top"
expect_match top_unknown '\[libfoo.so.1\]\+0x1234$' "$top"
expect_no_match top_is_not_buried_in_tables 'pid=77' "$top"
expect_match top_says_where_it_is_from 'host name="web1"' "$top"

expect_match tags 'container: Total 222.2ms' "$(pprof -tags)"
expect_match tags_slice '9.50s' "$(pprof -tags)"
focused=$(pprof -top -tagfocus=container=nginx.service)
expect_match tagfocus '30.30ms, 13.04% of 232.32ms total' "$focused"
expect_match tagroot 'web' "$(pprof -tree -tagroot=container -nodecount=50)"
expect_match raw '0x401300 M=. ns::inner\(int\) /src/inner.h:7' "$(pprof -raw)"

# What Google's tool writes again has lost our tables, and the labels tell.
pprof -proto -output="$SCRATCH/rewritten.pb.gz" >/dev/null
report=$("$HOSTPROF" report "$SCRATCH/rewritten.pb.gz" --by container 2>&1)
expect_match rewritten_containers '^web +~0.19 ' "$report"
expect_match rewritten_is_said 'rewritten by another tool' "$report"

# Profiles of others, through us: nothing is added up differently.
[ -d "$CORPUS/pprof" ] || skip corpus "no corpus"
for file in "$CORPUS"/pprof/parca/* "$CORPUS"/pprof/google-driver/*_type "$CORPUS"/pprof/google-driver/*.crash; do
	[ -f "$file" ] || continue
	name=$(basename "$file")
	$HOSTPROF export "$file" --to pprof -o "$SCRATCH/ours.pb.gz" || not_ok "through_us_$name" "export failed"
	"$check" "$file" 2>/dev/null | grep '^total' | sort >"$SCRATCH/theirs"
	lost=$("$check" "$SCRATCH/ours.pb.gz" | sort | comm -13 - "$SCRATCH/theirs")
	if [ -s "$SCRATCH/theirs" ]; then
		expect "through_us_$name" "" "$lost"
	else # no line for each location, and the like
		skip "through_us_$name" "not valid for the Go package as it is"
	fi
done
