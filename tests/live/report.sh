#!/usr/bin/env bash
# The command line as scripts rely on it: exit codes, what goes where, formats.
# Needs no root: it reads profiles of the corpus.
. "$(dirname "$0")/../lib.sh"
profile=$CORPUS/pprof/parca/cpu_labels.pb.gz
other=$CORPUS/pprof/parca/fgprof.pb.gz
[ -r "$profile" ] || skip_all "no corpus beside the project"
unset NO_COLOR COLUMNS

# status COMMAND…: its exit code; what it printed is in $SCRATCH/out and err
status() {
	"$@" >"$SCRATCH/out" 2>"$SCRATCH/err" </dev/null
	echo $?
}

expect exit_0_when_done 0 "$(status "$HOSTPROF" report "$profile")"
expect nothing_on_stderr_when_all_is_well "" "$(cat "$SCRATCH/err")"
expect_match summary_has_its_tables '^FUNCTION +self +total +module' "$(cat "$SCRATCH/out")"
expect_no_match no_color_into_files $'\033' "$(cat "$SCRATCH/out")"
status "$HOSTPROF" report --color always "$profile" >/dev/null
expect_match color_when_asked_for $'\033' "$(cat "$SCRATCH/out")"

expect exit_1_without_the_file 1 "$(status "$HOSTPROF" report "$SCRATCH/none.pb.gz")"
expect_match the_file_is_named 'none.pb.gz: No such file' "$(cat "$SCRATCH/err")"
echo rubbish >"$SCRATCH/rubbish"
expect exit_1_when_it_is_no_profile 1 "$(status "$HOSTPROF" report "$SCRATCH/rubbish")"
expect exit_2_without_a_command 2 "$(status "$HOSTPROF")"
expect exit_2_with_an_unknown_command 2 "$(status "$HOSTPROF" reprot)"
expect_match the_nearest_command_is_named "did you mean 'report'" "$(cat "$SCRATCH/err")"
expect exit_2_with_an_unknown_option 2 "$(status "$HOSTPROF" report --focsu x "$profile")"
expect_match the_nearest_option_is_named 'did you mean --focus' "$(cat "$SCRATCH/err")"
expect exit_2_with_an_unknown_key 2 "$(status "$HOSTPROF" report --by funtcion "$profile")"
expect exit_2_with_a_bad_expression 2 "$(status "$HOSTPROF" report --focus 'a(' "$profile")"
expect exit_2_without_a_file 2 "$(status "$HOSTPROF" report)"
expect exit_4_when_data_fall_short 4 "$(status "$HOSTPROF" report --require 'lost<1%' "$profile")"
expect_match what_falls_short_is_said 'lost<1% is required' "$(cat "$SCRATCH/err")"
expect exit_1_when_stdout_is_full 1 "$("$HOSTPROF" report "$profile" >/dev/full 2>"$SCRATCH/err"; echo $?)"
expect exit_1_when_json_cannot_be_written 1 "$("$HOSTPROF" report --format json "$profile" >/dev/full 2>"$SCRATCH/err"; echo $?)"
expect help_is_no_failure 0 "$(status "$HOSTPROF" report --help)"
expect_match version_is_told '^hostprof [0-9]+\.[0-9]+' "$("$HOSTPROF" --version)"

if command -v jq >/dev/null; then
	expect json_shares_sum_to_one 1 "$("$HOSTPROF" report --format json --by function -n 0 "$profile" |
		jq '[.rows[].share] | add | . * 1000 | round / 1000')"
	expect json_schema 1 "$("$HOSTPROF" report --format json "$profile" | jq .schema)"
	expect json_and_csv_have_equal_sums \
		"$("$HOSTPROF" report --format json --by module -n 0 "$profile" | jq '[.rows[].self_ns] | add')" \
		"$("$HOSTPROF" report --format csv --by module -n 0 "$profile" | awk -F, 'NR > 1 {s += $2} END {printf "%.0f", s}')"
	expect focus_and_ignore_are_everything \
		"$("$HOSTPROF" report --format json "$profile" | jq .metric.total)" \
		"$(for how in focus ignore; do
			"$HOSTPROF" report --format json --$how 'runtime\.' "$profile" | jq .metric.selected
		done | awk '{s += $1} END {printf "%.0f", s}')"
else
	skip json "no jq"
fi

# go tool pprof sums the same file: the functions' self and total agree.
if command -v go >/dev/null; then
	want=$(go tool pprof -top -nodecount=10 -unit=ns "$profile" 2>/dev/null |
		awk '$1 ~ /ns$/ && $6 != "" {sub(/ns$/, "", $1); sub(/ns$/, "", $4); print $6, $1, $4}' | sort)
	names=$(awk '{print $1}' <<<"$want")
	got=$("$HOSTPROF" report --format json --by function -n 0 "$profile" |
		jq -r '.rows[] | "\(.function) \(.self_ns) \(.total_ns)"' |
		grep -F "$names" | awk 'NR == FNR {want[$1]; next} $1 in want' <(echo "$want") - | sort)
	expect_match go_tool_pprof_names_functions "^runtime" "$want"
	expect functions_as_go_tool_pprof_says "$want" "$got"
else
	skip functions_as_go_tool_pprof_says "no go"
fi

# Two copies merged: the same shares of twice the time.
one=$("$HOSTPROF" report --format csv --by function -n 3 "$profile" | cut -d, -f1,7 | tail -3)
two=$("$HOSTPROF" report --format csv --by function -n 3 "$profile" "$profile" | cut -d, -f1,7 | tail -3)
expect merging_keeps_shares "$one" "$two"
expect_match merging_adds_windows 'in 2 windows' "$("$HOSTPROF" report "$profile" "$profile" | head -1)"
expect different_profiles_merge 0 "$(status "$HOSTPROF" report "$profile" "$other")"

# diff: a profile against itself, and what a build may fail on
expect diff_needs_two_sides 2 "$(status "$HOSTPROF" diff "$profile")"
expect diff_options_may_come_last 0 "$(status "$HOSTPROF" diff "$profile" -- "$profile" --format csv)"
expect diff_of_equals_has_no_changes 0 "$(grep -cE ',(more|less).$' "$SCRATCH/out")"
expect diff_per_op_halves 0 "$(status "$HOSTPROF" diff "$profile" -- "$profile" --per-op before=1000,after=2000 -n 1)"
expect_match diff_per_op_says_so '\-50\.0 %.*less' "$(cat "$SCRATCH/out")"
expect diff_fails_when_it_is_so 4 "$(status "$HOSTPROF" diff "$profile" -- "$profile" --per-op before=2000,after=1000 --fail-if 'total(runtime.gcDrain)>+5%')"
expect diff_does_not_fail_when_not 0 "$(status "$HOSTPROF" diff "$profile" -- "$profile" --fail-if 'total(runtime.gcDrain)>+5%')"
expect diff_knows_the_function 1 "$(status "$HOSTPROF" diff "$profile" -- "$profile" --fail-if 'total(nobody)>+5%')"
expect diff_refuses_nonsense 2 "$(status "$HOSTPROF" diff "$profile" -- "$profile" --fail-if 'foo>5')"
