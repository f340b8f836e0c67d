#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The files that a recording names may have been damaged, or made to do harm: a report then lacks names, and neither
# crashes nor goes on for ever.
# usage: sh tests/cli/hostile_modules.sh [ROUNDS [FIRST]]

. "$(dirname "$0")/cli.inc"

rounds=${1:-60}
first=${2:-1}

# survives SOURCE: reports of $tmp/data, which names $tmp/program, are made while copies of $tmp/original with damages
# are in the place of that. Some of them still have lines of the source.
survives() {
	named=0
	round=$first
	while [ "$round" -lt $((first + rounds)) ]; do
		rm -f "$tmp/program" # a file that is executed cannot be written
		"$O/tests/helpers/damage" "$tmp/original" "$tmp/program" "$round"
		status=0
		(ulimit -v 2000000 && timeout -k 1 60 "$stmlog" report --full "$tmp/data") >"$tmp/out" 2>"$tmp/err" || status=$?
		same "exit status for seed $round ($(tail -n 1 "$tmp/err"))" 0 "$status"
		! grep -q "$1:" "$tmp/out" || named=$((named + 1))
		round=$((round + 1))
	done
	# Otherwise the damage would have kept everybody from reading further than the first header.
	[ $named -gt 0 ] || fail "no report of $rounds had a line"
	echo "$named of $rounds reports still had lines"
}

cp "$programs/O2/templates" "$tmp/original"
rm -f "$tmp/program"
cp "$tmp/original" "$tmp/program"
record "$tmp/data" --sample=1 "$tmp/program" 2 >"$tmp/out"
run 0 "$stmlog" report --full "$tmp/data"
grep -q "templates.cc:" "$tmp/out" || fail "the undamaged program gives no lines"
survives templates.cc
claim "a damaged program and its debug information cost names only"

cat >"$tmp/main.c" <<-'END'
	#include <stdio.h>
	#include "haskell_code.h"
	int main(void)
	{
		for (int i = 0; i < HASKELL_PLACES; i++)
			printf("%#llx\n", (unsigned long long)haskell_code[i] + 1);
		return 0;
	}
END
haskell=tests/tools/symbols
gcc -no-pie -I$haskell -o "$tmp/original" "$tmp/main.c" $haskell/haskell_code.S
rm -f "$tmp/program"
cp "$tmp/original" "$tmp/program"
"$tmp/program" >"$tmp/places"
"$O/tests/helpers/located" "$tmp/data" "$tmp/program" <"$tmp/places"
run 0 "$stmlog" report --full --top=99 "$tmp/data"
grep -q "src/Bank.hs:20  *Store.Bank.withdraw" "$tmp/out" || fail "the undamaged program gives no lines: $(cat "$tmp/out")"
survives Bank.hs
claim "damaged debug information of GHC costs names only"
