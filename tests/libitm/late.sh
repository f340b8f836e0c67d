#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Few transactions have all the loss, and the sample of the default mode has hardly any of them: they are measured from
# a later attempt on, so the report has what they lose, and counts it once.
#
# Not alone: conflicts have a meeting point, and losses are compared with the program's own stamps.

. "$(dirname "$0")/../helpers/shell.inc"
export ITM_DEFAULT_METHOD=ml_wt

# often FAILS ROUNDS OPTION...: the report of such a run; what the program says is in $lost_ns, $failed and $commits.
often() {
	fails=$1 rounds=$2
	shift 2
	FIGURES=$tmp/figures record "$tmp/data" "$@" -- "$programs/O2/fails_often" "$fails" "$rounds" >"$tmp/out" 2>&1
	"$stmlog" check "$tmp/data" >"$tmp/check" || fail "$fails: $(cat "$tmp/check")"
	"$stmlog" report --json "$tmp/data" >"$tmp/report"
	lost_ns=$(sed -n 's/^lost_ns //p' "$tmp/figures") failed=$(sed -n 's/^failed //p' "$tmp/figures")
	commits=$(sed -n 's/^commits //p' "$tmp/figures")
}

# known: at least half of what the stamps say is in the report, and no more than one and a half times as much is certain.
# The interval reaches up to what they say, and nobody is told that little is lost.
known() {
	aborted_ns=$(jsonq "$tmp/report" .totals.aborted_ns) low_ns=$(jsonq "$tmp/report" .totals.aborted_low_ns)
	high_ns=$(jsonq "$tmp/report" .totals.aborted_high_ns)
	[ "$aborted_ns" -ge $((lost_ns / 2)) ] || fail "$1: aborted $aborted_ns ns of $lost_ns"
	[ "$high_ns" -ge $((lost_ns / 10 * 9)) ] || fail "$1: aborted $high_ns ns at most, and $lost_ns by the stamps"
	[ "$low_ns" -le $((lost_ns * 3 / 2)) ] || fail "$1: aborted $low_ns ns or more of $lost_ns"
	"$stmlog" report "$tmp/data" >"$tmp/text"
	! grep -q "little is lost" "$tmp/text" || fail "$1: little is lost: $(cat "$tmp/text")"
}

often 50 20 --sample=auto
known "the default mode"
same "aborts" "$failed" "$(jsonq "$tmp/report" .totals.aborts)"
same "commits" "$commits" "$(jsonq "$tmp/report" .totals.commits)"

# At the boundary: one failed attempt less, and more, than transactions are measured from.
for fails in 1 2 3; do
	often "$fails" 40 --sample=64
	same "aborts of $fails each" "$failed" "$(jsonq "$tmp/report" .totals.aborts)"
	same "commits with $fails aborts each" "$commits" "$(jsonq "$tmp/report" .totals.commits)"
done

# The writer's transaction is under way when the reader fails for the first time: the reader's word is known all the
# same. By chance alone one of thirteen failed attempts would be measured closely.
record "$tmp/data" -- "$programs/O2/absent_writer" 5 1000000 >"$tmp/out" 2>&1
"$stmlog" check "$tmp/data" >"$tmp/check" || fail "$(cat "$tmp/check")"
"$stmlog" report --json "$tmp/data" >"$tmp/report"
failed=$(jsonq "$tmp/report" .totals.aborts)
[ "$failed" -ge 250 ] || fail "$failed aborts, though the writer was to stay until 300"
same "words" "balance" "$(jsonq "$tmp/report" '.entries[].objects[].symbol' | sort -u)"
over_word=$(total "$tmp/report" '.entries[].objects[].count')
[ "$over_word" -ge $((failed / 3)) ] || fail "the word of $over_word of $failed failed attempts is known"
