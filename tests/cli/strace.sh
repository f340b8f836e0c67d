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
run 0 timeout -k 1 60 strace -f -o "$tmp/trace" "$stmlog" record --no-report -o "$tmp/data" -- $bank
run 0 "$stmlog" report --json "$tmp/data"
same "commits" 60000 "$(jsonq "$tmp/out" .totals.commits)"
same "time off the processor is known" false "$(jsonq "$tmp/out" .totals.descheduled_known)"
claim "a traced program ends, and its time off the processor is said to be unknown"
