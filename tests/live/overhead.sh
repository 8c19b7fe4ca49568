#!/usr/bin/env bash
# hostprof overhead: that it runs what it is told, in pairs, and says so. What
# it finds is no subject of a test on a shared machine.
. "$(dirname "$0")/../lib.sh"
need_root

out=$("$HOSTPROF" overhead --pairs 2 -- sh -c "echo ran; echo x >>'$SCRATCH/runs'; sleep 0.1" 2>"$SCRATCH/err")
expect runs_once_to_warm_up_and_twice_for_each_pair_and_rate 9 "$(wc -l <"$SCRATCH/runs")"
expect nothing_on_stderr_when_all_is_well "" "$(cat "$SCRATCH/err")"
expect_no_match the_output_of_the_command_is_thrown_away '^ran' "$out"
expect_match both_rates_have_a_row '^ +99 Hz .*[+-][0-9.]+ % \(.* to .*\)' "$out"
expect_match both_rates_have_a_row_999 '^ *999 Hz ' "$out"
"$HOSTPROF" overhead --pairs 2 -- false >/dev/null 2>"$SCRATCH/err"
expect a_failing_command_has_no_cost 1 $?
expect_match and_is_named 'false ended with status 1' "$(cat "$SCRATCH/err")"
"$HOSTPROF" overhead --pairs 2 -- "$SCRATCH/nothing" >/dev/null 2>&1
expect a_missing_command_fails 1 $?
