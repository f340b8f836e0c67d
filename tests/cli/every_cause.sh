#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `stmlog record -- build/every-cause` reports each row of the table of causes, with the tracebacks of both sides. The
# program prints the same and ends with the same status without the profiler.

. "$(dirname "$0")/../helpers/shell.inc"
. "$(dirname "$0")/causes.inc"

"$O/every-cause" >"$tmp/alone" 2>/dev/null
record_scenarios "$O/every-cause" 16
same "what it says" "$(cat "$tmp/alone")" "$(cat "$tmp/out")"

# The innermost function of each side, as the scenarios have it.
expected='aborted-by-other write-read READ run_first write_second
aborted-by-other write-write WRITTEN write_first write_second
pause inevitable INEVITABLE become_inevitable_second become_inevitable_first
pause write-read BEING_WRITTEN read_second write_first
pause write-read READ write_second run_first
pause write-write WRITTEN write_second write_first
self-abort inevitable INEVITABLE become_inevitable_second become_inevitable_first
self-abort write-read BEING_WRITTEN read_second write_first
self-abort write-read READ write_second run_first
self-abort write-write WRITTEN write_another_word_second write_first
self-abort write-write WRITTEN write_second write_first
user-abort none NOT_YET ask_for_a_retry -
user-abort none NO_MONEY give_up -
wait inevitable NO_SEGMENT wait_for_a_segment become_inevitable_first'
same "the entries" "$expected" "$(causes)"
same "false conflicts" 1 "$(jsonq "$tmp/json" '.entries[].false_conflicts' | awk '{ all += $1 } END { print all }')"

# Rows without an entry of their own are still in the accounts of the threads.
[ "$(jsonq "$tmp/json" .totals.other_ns)" -gt 0 ] || fail "no internal synchronisation: $(cat "$tmp/report")"
same "a word for it" "grace period" "$(jsonq "$tmp/json" '.totals.own_work[0].word')"
waited=$(jsonq "$tmp/json" .totals.waiting_ns)
rank=$(jsonq "$tmp/json" '.entries[].reason' | grep -n '^wait$' | cut -d: -f1)
by_entry=$(jsonq "$tmp/json" ".entries[$((rank - 1))].lost_ns")
[ "$waited" -gt "$by_entry" ] || fail "waiting for no reason costs no time: $waited ns in all, $by_entry in the entry"
same "the residual" 0 "$(jsonq "$tmp/json" .totals.residual_ns)"
