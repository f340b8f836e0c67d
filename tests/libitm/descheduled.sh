#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Time off the processor is told apart. A program sleeps for a millisecond in some transactions, and as often outside of
# them: the report has no less than that in the row "descheduled", and no less in "outside". (Of a sleep, going to sleep
# and waking up are time on the processor.) The sleeps are no committed time, and no loss.

. "$(dirname "$0")/../helpers/shell.inc"

export ITM_DEFAULT_METHOD=ml_wt

# told PATH: what the report says
told() {
	jsonq "$tmp/report" "$1"
}

# at_least WHAT NUMBER LEAST
at_least() {
	[ "$2" -ge "$3" ] || fail "$1: $2, at least $3 expected"
}

for program in "$programs"/O*/asleep; do
	for sample in 1 auto 100; do
		"$stmlog" record -o "$tmp/data" --no-report --sample=$sample -- "$program" 2>"$tmp/known"
		"$stmlog" check "$tmp/data" >/dev/null
		"$stmlog" report --json "$tmp/data" >"$tmp/report"
		[ "$(told .totals.descheduled_known)" = true ] || skip "the kernel or the C library has no restartable sequences"
		times=$(awk '$1 == "times" { print $2 }' "$tmp/known")
		at_least "$program, sample=$sample: descheduled" "$(told .totals.descheduled)" "$times"
		at_least "$program, sample=$sample: descheduled_ns" "$(told .totals.descheduled_ns)" $((times * 900000))
		# If one of the 20 transactions that sleep is among the sampled ones, what it takes to wake up counts 100
		# times: the estimate may be far too low, but its interval reaches the truth.
		at_least "$program, sample=$sample: outside_high_ns" "$(told .totals.outside_high_ns)" $((times * 900000))
	done
done
