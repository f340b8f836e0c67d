#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tries how reliably `stmlog record --runs` and `stmlog diff` find a regression. Each trial has ten runs of each of two
# programs in turns, in default mode or with each transaction measured. In half of the trials sell() of longer.c has a critical section that is 50 % longer: diff must exit
# with 1 and say that restock() loses more to sell(). In the other half both programs are the same: diff must exit with
# 0. One of ten may go wrong by chance. Where other programs had the processors for more than three quarters of the time,
# waits differ by more than that, and the test is skipped if it does not find enough.
#
# On demand (make test-regression); tests/cli/regression.sh is the same with fewer repetitions.
# usage: sh tests/long/regression.sh [REPETITIONS [MISSES [MODE...]]]      MISSES: how many trials of each kind may go
# wrong in a mode; MODE: --sample=auto or --sample=1, both if none is given

. "$(dirname "$0")/../cli/cli.inc"

repetitions=${1:-20}
misses=${2:-2}
[ $# -gt 2 ] && shift 2 || set -- --sample=auto --sample=1
program=$PWD/$programs/O2/longer
printf '#!/bin/sh\nSTMBENCH_LONGER=50 exec "%s" "$@"\n' "$program" >"$tmp/longer"
chmod +x "$tmp/longer"

# compare MODE OTHER: diffs ten runs of the program and of OTHER. The exit status is in $found, the output in $tmp/said.
compare() {
	rm -rf "$tmp/runs"
	"$stmlog" record --runs=10 "$1" --no-report -o "$tmp/runs" --vs "$2" -- "$program" 2 15 >"$tmp/out" ||
		fail "a run has failed"
	found=0
	"$stmlog" diff "$tmp/runs"/old-*.data -- "$tmp/runs"/new-*.data >"$tmp/said" || found=$?
	[ $found -le 1 ] || fail "diff: status $found"
}

# tell KIND TRIAL RIGHT: prints how a trial ended. RIGHT is 1 if diff gave the right answer
tell() {
	echo "$1 $2: status $found, $([ "$3" = 1 ] && echo right || echo wrong), $(grep '^total: ' "$tmp/said")"
	[ "$3" = 1 ] || cat "$tmp/said"
}

# try MODE
try() {
	planted=0
	same=0
	for i in $(seq "$repetitions"); do
		compare "$1" "$tmp/longer"
		is_right=0
		if [ $found = 1 ] && grep -q '^regression: restock .*, blocked by sell ' "$tmp/said"; then
			is_right=1
		fi
		planted=$((planted + is_right))
		tell "$1 planted" "$i" $is_right
		compare "$1" "$program"
		is_right=$((1 - found))
		same=$((same + is_right))
		tell "$1 same" "$i" $is_right
	done
	echo "$1: planted: found with its partner in $planted of $repetitions;" \
		"the same: no regression in $same of $repetitions"
	if [ $planted -lt $((repetitions - misses)) ]; then
		! is_disturbed "$tmp/runs/old-01.data" || skip "other programs had the processors for most of the time: $planted found"
		fail "too many regressions not found"
	fi
	[ $same -ge $((repetitions - misses)) ] || fail "too many found where there are none"
}

for mode in "$@"; do
	try "$mode"
	claim "$mode: a critical section that is 50 % longer is found with its partner, and nothing where nothing is"
done
