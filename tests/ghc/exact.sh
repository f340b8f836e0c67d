#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Each commit is counted, whatever the number of capabilities, the way of scheduling and of sampling.

. "$(dirname "$0")/ghc.inc"

haskell threaded bank
haskell single bank

# counts SAMPLE PROGRAM ARGUMENT...: four threads commit 2 x 5,000 times each, and the program once more.
counts() {
	sample=$1
	shift
	recorded "$tmp/data" --sample="$sample" -- "$@"
	same "$*: the program's sum" 20000 "$(cat "$tmp/printed")"
	same "$*, sample=$sample: commits" 40001 "$(jsonq "$tmp/report" .totals.commits)"
	same "$*: all are known" true "$(jsonq "$tmp/report" .totals.commits_known)"
}

for sample in 1 16 auto; do
	for capabilities in 1 2 3 4; do
		counts $sample "$tmp/bank-threaded" 4 5000 +RTS -N$capabilities
	done
	# Haskell threads are preempted every millisecond, in the middle of transactions.
	counts $sample "$tmp/bank-threaded" 4 5000 +RTS -N2 -C0.001 -V0.001
	counts $sample "$tmp/bank-single" 4 5000 +RTS -C0.001 -V0.001
done

# Without record, and without options, the report comes at the end; and the program's own output is as ever.
unrecorded "$tmp/bank-threaded" 1 1000 >"$tmp/printed" 2>"$tmp/err"
same "output" 1000 "$(cat "$tmp/printed")"
grep -q 'ghc threaded' "$tmp/err" || fail "no report: $(cat "$tmp/err")"
