# Timing and statistics: never part of `make test`. docs/measurements.md keeps
# what they printed, with the machine.

bench: all targets ## what recording costs, beside perf record
	@tests/bench/cost.sh

bench-truth: all targets ## do the intervals hold the truth?
	@tests/bench/truth.sh

.PHONY: bench bench-truth
