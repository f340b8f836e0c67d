#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A transaction that wakes others in vain stands in the first row; if each waits for a TVar of its own, it does not. And
# with 200 that wait for a gate. Also that none of them is told that it polls.

. "$(dirname "$0")/ghc.inc"

runs=${ROW_RUNS:-2}

number() {
	jsonq "$tmp/report" "$1"
}

# find FORM COUNT: leaves the first row, its transaction and how, in $tmp/row; "none" if there is no row.
find() {
	recorded "$tmp/data" -- timeout -k 1 60 "$tmp/rows/wake-threaded" "$1" "$2" +RTS -N2
	"$stmlog" report "$tmp/data" >"$tmp/text"
	! jsonq "$tmp/report" '.rows[].how' | grep -qx poll || fail "$1: a transaction that waits polls: $(cat "$tmp/text")"
	echo none >"$tmp/row"
	[ "$(number '.rows#')" = 0 ] || echo "$(number '.rows[0].name') $(number '.rows[0].how')" >"$tmp/row"
}

haskell threaded rows/wake
for _ in $(seq "$runs"); do
	find with 2000
	# On a busy machine a transaction may lose its processor while it commits, and the others wait for its locks.
	is_busy=$(grep -c '^other programs had\|no processor for' "$tmp/text" || :)
	[ "$(cat "$tmp/row")" = "main wake" ] || { [ "$is_busy" -gt 0 ] && grep -q ' wait$' "$tmp/row"; } ||
		fail "with: the first row is $(cat "$tmp/row"): $(cat "$tmp/text")"
	find without 20000
	[ "$(cat "$tmp/row")" != "main wake" ] || fail "without: $(cat "$tmp/text")"
	find own 20000
	in_vain=$(number .totals.blocked_unattached.in_vain)
	[ "$in_vain" -gt 1000 ] || fail "own: only $in_vain wakes in vain"
done

# None of the 200 commits before the last write, and in the default mode few of them are sampled. How many attempts fail
# because the TVar is locked depends on what else runs.
find gate 150
same "gate: the first row" "gate wake" "$(cat "$tmp/row")"
grep -q '29,800 of 30,000 wakes' "$tmp/text" || fail "gate: the row is not told: $(cat "$tmp/text")"
number '.rows[0].frames[].function' | grep -q 'Main.raise' || fail "gate: the write is not told: $(cat "$tmp/report")"
# An attempt may be over before its first statement has counted it.
uncounted=$((200 + $(number .totals.aborts) - $(cat "$tmp/printed")))
[ "$uncounted" -ge 0 ] && [ "$uncounted" -le 10 ] || fail "gate: $uncounted attempts more than the program has counted"
same "gate: sleeps, in vain, spurious" "30000 29800 0" "$(number .totals.blocked_unattached.count) $(number \
	.totals.blocked_unattached.in_vain) $(number .blocked_spurious)"
same "gate: who waits" Main.waitForGate "$(number '.blocked[0].waits_at.function')"
number '.blocked[0].object' | grep -q '^TVar #1' || fail "gate: waits for $(number '.blocked[0].object')"
number '.blocked[0].woken_by.function' | grep -q '^Main' || fail "gate: nobody has woken them"
