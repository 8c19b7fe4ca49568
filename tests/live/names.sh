#!/usr/bin/env bash
# Programs of many kinds, each spinning in one function: nearly all of its
# samples must have that name, with the file as it was and where it was.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/names.sh"
cleanup() { names_cleanup; }
need_root
cd "$SCRATCH" || exit 1

names_build 2>build.log
"$HOSTPROF" record -q -F 499 -o names.pb.gz -- bash -c "$(declare -f names_start); $(declare -p names_kinds names_run); names_start 0.25; wait" 2>err
expect "recording" 0 $?
"$HOSTPROF" report names.pb.gz --by comm,function,module -n 0 --format json >names.json

# The share of a program's samples in user code whose leaf is named so. The
# loader's own are left out: on a busy machine a start takes its time.
share() { # COMM FUNCTION
	jq --arg comm "$1" --arg want "$2" '
		[.rows[] | select(.comm == $comm and (.module | test("^\\[kernel|/ld-linux") | not) and .self_ns > 0)]
		| ([.[].self_ns] | add // 0) as $all
		| if $all == 0 then 0 else ([.[] | select(.function | test($want)) | .self_ns] | add // 0) / $all end' names.json
}
for name in "${names_kinds[@]}"; do
	want=${names_want[$name]}
	[[ $want == ^* ]] || want=$(sed 's/[][().*+?<>]/\\&/g' <<<"$want")
	low=0.95
	case $name in
	n-vdso) low=0.4 ;;  # the loop around it counts too
	n-node) low=0.5 ;;  # so does the engine's start
	n-go) low=0.9 ;;
	esac
	expect_between "leaf of $name is ${names_want[$name]}" $low 1 "$(share "$name" "$want")"
done
