#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Transactions that the program cancels are measured and sampled like those that commit. The agent's own work at a cancel, above all
# walking the stack, is no time that the program has lost: it counts as "other".

. "$(dirname "$0")/../helpers/shell.inc"

# cancel OPTION THREADS CANCELS: leaves the report of a program of which each transaction is cancelled
cancel() {
	record "$tmp/data" "$1" -- "$programs/O2/only_cancels" "$2" "$3" >/dev/null
	"$stmlog" check "$tmp/data" >"$tmp/check" || fail "$*: $(cat "$tmp/check")"
	"$stmlog" report --json "$tmp/data" >"$tmp/report"
	same "$*: cancels" "$(($2 * $3))" "$(jsonq "$tmp/report" .totals.aborts)"
}

# Readings of the clock at a cancel: its begin, its failure, and the end of the agent's work. Without the last, that
# work would count as aborted time. Further readings are of waits.
for threads in 1 2 4; do
	cancel --sample=1 $threads 500
	readings=$(jsonq "$tmp/report" .probe.events)
	[ "$readings" -ge $((3 * 500 * threads)) ] ||
		fail "$threads threads: the agent's work was told apart at $((readings - 2 * 500 * threads)) cancels only"
done

# A thread that never commits is sampled like others: measuring a cancel takes many times as long as the cancel.
for threads in 1 2; do
	cancel --sample=auto $threads 200000
	every=$(jsonq "$tmp/report" .sample.every)
	[ "$every" -gt 1 ] || fail "$threads threads: each cancel was measured"
	measured=$(total "$tmp/report" '.causes[].count')
	[ "$measured" -lt $((200000 * threads / 2)) ] ||
		fail "$threads threads: $measured cancels were measured, though 1 in $every are in the end"
done
