#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A program that is recorded under a tracer, which stops it at each system call.

. "$(dirname "$0")/cli.inc"

command -v strace >/dev/null || skip "no strace"
strace -o "$tmp/trace" true 2>/dev/null || skip "strace cannot trace here"

# Each look at the time off the processor took dozens of stops: minutes for so many transactions.
bank="$O/bench/bank --threads=2 --operations=30000"
# shellcheck disable=SC2086
run 0 timeout -k 1 60 strace -f -o "$tmp/trace" "$stmlog" record -o "$tmp/data" -- $bank
written=$(grep -c ' write(2, ' "$tmp/trace") lines=$(wc -l <"$tmp/err")
looks=$(grep -c ' getrusage(RUSAGE_THREAD' "$tmp/trace") numbers=$(grep -c ' gettid(' "$tmp/trace")
run 0 "$stmlog" report --json "$tmp/data"
same "commits" 60000 "$(jsonq "$tmp/out" .totals.commits)"
same "time off the processor is known" false "$(jsonq "$tmp/out" .totals.descheduled_known)"
claim "a traced program ends, and its time off the processor is said to be unknown"

# A stop takes longer than what is stopped, so the start of `record` and its report make no more calls than they need.
[ "$written" -le "$lines" ] || fail "$written writes for a report of $lines lines"
[ "$looks" -le 60 ] || fail "$looks looks at the time off the processor"
[ "$numbers" -le 40 ] || fail "a thread asks $numbers times for its number"
claim "a report is written line by line, and what is known is not asked again"
