#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A lazy STM: `stmlog record -- build/every-lazy-cause` reports each of its causes with the tracebacks of both sides, also
# where the writer committed long before its victim aborted, or its thread has ended. And in a bank on that STM the other
# transaction of at least 99 in 100 aborts is known: which thread, and where it wrote.
#
# Alone: the bank's conflicts come by themselves.

. "$(dirname "$0")/../helpers/shell.inc"
. "$(dirname "$0")/causes.inc"

known() {
	jsonq "$tmp/json" '.entries[].remote.known'
}

record_scenarios "$O/every-lazy-cause" 9

# The innermost function of each side, as the scenarios have it. The writer that goes on after its commit, and the one that
# ends, are one entry.
expected='self-abort write-read CHANGED have_read_it write_word
self-abort write-read CHANGED read_it write_word
self-abort write-read LOCKED have_read_it write_word
self-abort write-read LOCKED read_it write_word
self-abort write-write LOCKED write_it write_word
user-abort none EMPTY await_a_change -
user-abort none NOT_YET ask_for_a_retry -
user-abort none NO_MONEY give_up -'
same "the entries" "$expected" "$(causes)"

# The retry that waits is no loss, and in a table of its own. The process's own report has the same.
same "the sleep" "1 0" "$(jsonq "$tmp/json" .totals.blocked) $(jsonq "$tmp/json" .totals.blocked_in_vain)"
[ "$(jsonq "$tmp/json" .blocked[0].blocked_ns)" -gt 0 ] || fail "nobody was blocked at a site"
grep -q '^blocked  ' "$tmp/report" || fail "no row 'blocked' in the report"
"$stmlog" report --top=20 "$tmp/data" >"$tmp/text"
grep -q '^Blocked after a retry: 1 time, 0 in vain; no loss' "$tmp/text" || fail "no table of blocked transactions"
STMLOG_OPTIONS="out=$tmp/own:report=$tmp/own-text" "$O/every-lazy-cause" >"$tmp/out"
row_of() { awk '$1 == "blocked" { print $2, $3, $6 }' "$1"; }
row_of "$tmp/own-text" >"$tmp/row"
"$stmlog" report --full "$tmp/own" >"$tmp/text"
row_of "$tmp/text" >"$tmp/row-of-command"
[ -s "$tmp/row" ] || fail "no row 'blocked' in the process's own report"
same "the row of the process's own report" "$(cat "$tmp/row-of-command")" "$(cat "$tmp/row")"

# Of the aborts that the report lists, those with a known traceback of the other transaction; and all.
few=
for accounts in 4000 1024; do
	for threads in 2 4; do
		STMLOG_OPTIONS=report=none "$stmlog" record -o "$tmp/data" -- "$O/bench/lazystm/bank" \
			--threads=$threads --operations=300000 --accounts=$accounts >"$tmp/out" 2>"$tmp/report"
		grep -q '^checksum ok$' "$tmp/out" || fail "the bank has lost money"
		"$stmlog" report --json "$tmp/data" >"$tmp/json"
		counts=$(paste -d ' ' - - <<-END | awk '{ all += $1 } $2 == "true" { known += $1 } END { print known + 0, all + 0 }'
			$(jsonq "$tmp/json" '.entries[].count' >"$tmp/counts"; known | paste -d '\n' "$tmp/counts" -)
		END
		)
		echo "$accounts accounts, $threads threads: the other transaction is known of ${counts% *} of ${counts#* } aborts"
		[ "${counts#* }" -ge 20 ] || few="only ${counts#* } aborts with $accounts accounts and $threads threads"
		[ $((${counts% *} * 100)) -ge $((${counts#* } * 99)) ] || fail "the other transaction is known of $counts aborts"
	done
done
[ -z "$few" ] || skip "$few"
