#!/bin/sh
# Seeds for fuzz_demangle: real names. usage: seeds_demangle.sh FOLDER
set -eu
mkdir -p "$1"
i=0
for name in _Z1fi _ZNSt6vectorIiSaIiEE9push_backEOi _RNvCskwGfYPst2Cb_3foo16example_function \
	_ZN4core3fmt9Formatter3pad17h0123456789abcdefE _D3std5stdio7writelnFZv \
	_Z1fSt4pairIiiESt4pairIS0_S0_E _RNvMCs9ltgdHTiPiY_4coreNtB2_4Cell3new memcpy@@GLIBC_2.14; do
	i=$((i + 1))
	printf %s "$name" >"$1/$i"
done
