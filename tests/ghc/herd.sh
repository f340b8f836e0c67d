#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The rule herd, with the program that has the fault, and without it: each transaction waits for a TVar of its own, and
# is woken in vain or not. And with 200 that wait for a gate. Also that none of them is told that it polls.

. "$(dirname "$0")/ghc.inc"

runs=${RULE_RUNS:-2}
haskell threaded rules/herd

# find FORM COUNT: leaves the rules of the findings in $tmp/found.
find() {
	recorded "$tmp/data" -- timeout -k 1 60 "$tmp/rules/herd-threaded" "$1" "$2" +RTS -N2
	jsonq "$tmp/report" '.findings[].rule' | tr -d '"' >"$tmp/found"
	! grep -qx polling "$tmp/found" || fail "$1: a transaction that waits polls"
}

for _ in $(seq "$runs"); do
	find with 2000
	same "with: the first finding" herd "$(head -n 1 "$tmp/found")"
	"$stmlog" report "$tmp/data" >"$tmp/text"
	grep -q "herd ([23][0-9] wait, [0-9,]* of [0-9,]* wakes and [0-9.]* % of the attempts in vain): herd.hs:[0-9-]* waitForNumber" "$tmp/text" ||
		fail "the finding is not told: $(cat "$tmp/text")"
	grep -q "because of TVar #1.*, written at herd.hs:[0-9-]* \(callByNumber\|waitForNumber\|main\); try: a TVar for each" "$tmp/text" ||
		fail "the TVar and its writer are not told: $(cat "$tmp/text")"
	for form in without own; do
		find $form 20000
		! grep -qx herd "$tmp/found" || fail "$form: found $(cat "$tmp/found")"
	done
	in_vain=$(jsonq "$tmp/report" .totals.blocked_unattached.in_vain)
	[ "$in_vain" -gt 1000 ] || fail "own: only $in_vain wakes in vain"
done

# None of the 200 commits before the last write, and in the default mode few of them are sampled. How many attempts fail
# because the TVar is locked depends on what else runs.
find gate 150
same "gate: the first finding" herd "$(head -n 1 "$tmp/found")"
"$stmlog" report "$tmp/data" >"$tmp/text"
grep -q "herd (.* wait, 29,800 of 30,000 wakes and [0-9.]* % of the attempts in vain): herd.hs:[0-9-]* waitForGate" \
	"$tmp/text" || fail "gate: the finding is not told: $(cat "$tmp/text")"
grep -q "because of TVar #1.*, written at herd.hs:[0-9-]* \(raise\|gate\|main\); try" "$tmp/text" ||
	fail "gate: the TVar and its writer are not told: $(cat "$tmp/text")"
number() {
	jsonq "$tmp/report" "$1"
}
# An attempt may be over before its first statement has counted it.
uncounted=$((200 + $(number .totals.aborts) - $(cat "$tmp/printed")))
[ "$uncounted" -ge 0 ] && [ "$uncounted" -le 10 ] || fail "gate: $uncounted attempts more than the program has counted"
same "gate: sleeps, in vain, spurious" "30000 29800 0" "$(number .totals.blocked_unattached.count) $(number \
	.totals.blocked_unattached.in_vain) $(number .blocked_spurious)"
same "gate: who waits" Main.waitForGate "$(number '.blocked[0].waits_at.function')"
number '.blocked[0].object' | grep -q '^TVar #1' || fail "gate: waits for $(number '.blocked[0].object')"
number '.blocked[0].woken_by.function' | grep -q '^Main' || fail "gate: nobody has woken them"
