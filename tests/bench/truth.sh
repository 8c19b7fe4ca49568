#!/usr/bin/env bash
# Do the intervals hold the truth? RUNS recordings of a program whose three
# functions' CPU time is known by its own clock, half of them beside a second
# such program. Prints a row per function; fails when an interval missed the
# truth in more than a tenth of the runs.
# usage: truth.sh [RUNS [SECONDS]]
set -eu
cd "$(dirname "$0")/../.."
runs=${1:-20} seconds=${2:-4}
scratch=$(mktemp -d)
other=
trap '[ -z "$other" ] || kill "$other" 2>/dev/null; rm -rf "$scratch"' EXIT
names=(spin_half spin_third spin_fifth)
declare -A held width off
for name in "${names[@]}"; do held[$name]=0 width[$name]=0 off[$name]=0; done

for ((run = 1; run <= runs; run++)); do
	if ((run % 2 == 0)); then
		build/targets/shares 1000 99 >/dev/null &
		other=$!
	fi
	./hostprof record -q -F 499 -o "$scratch/t.pb.gz" -- \
		build/targets/shares "$seconds" "$run" >"$scratch/truth"
	if [ -n "$other" ]; then
		kill "$other"
		wait "$other" 2>/dev/null || true
	fi
	# The truth: the function's CPU time by the target's own clock, in the
	# CPU time that the kernel counted for the whole host in that window.
	pid=$(./hostprof report "$scratch/t.pb.gz" --by process --comm shares -n 0 --format json |
		jq "[.rows[] | select(.process.pid != ${other:-0})][0].process.pid")
	other=
	./hostprof report "$scratch/t.pb.gz" --by function --pid "$pid" -n 0 --format json >"$scratch/t.json"
	for name in "${names[@]}"; do
		spent=$(awk -v name="$name" '{for (i = 1; i <= 6; i += 2) if ($i == name) print $(i + 1)}' "$scratch/truth")
		read -r verdict wide miss < <(jq -r --arg name "$name" --argjson spent "$spent" '
			($spent / .health.kernel_cpu_s) as $truth
			| .rows[] | select(.function == $name)
			| [(if .share_low <= $truth and $truth <= .share_high then 1 else 0 end),
			   (.share_high - .share_low) * 50, (.share - $truth) * 100] | @tsv' "$scratch/t.json")
		held[$name]=$((held[$name] + verdict))
		width[$name]=$(awk "BEGIN{print ${width[$name]} + $wide}")
		off[$name]=$(awk "BEGIN{print ${off[$name]} + $miss}")
	done
done
bad=0
printf '%-12s %-12s %-22s %s\n' function "held" "mean half width" "mean error"
for name in "${names[@]}"; do
	printf '%-12s %2d of %-6d %6.2f points          %+.2f points\n' "$name" "${held[$name]}" "$runs" \
		"$(awk "BEGIN{print ${width[$name]} / $runs}")" "$(awk "BEGIN{print ${off[$name]} / $runs}")"
	((held[$name] * 10 >= runs * 9)) || bad=1
done
exit $bad
