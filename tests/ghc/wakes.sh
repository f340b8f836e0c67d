#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The transaction that has woken one that sleeps is the first to write what that one has read, and not the one that has
# written it last: a thing is returned to a pool, and taken again before all sleepers run.

. "$(dirname "$0")/ghc.inc"

haskell threaded pool

# wakes OPTION ROUNDS: all that are known are by giveBack; leaves their number in $known.
wakes() {
	recorded "$tmp/data" "$1" -- timeout -k 1 60 "$tmp/pool-threaded" "$2" +RTS -N2
	same "$1: the program's sum" $(($2 * ($2 + 1) / 2)) "$(cat "$tmp/printed")"
	same "$1: who sleeps" Main.takeThing "$(jsonq "$tmp/report" '.blocked[0].begin.function')"
	same "$1: who has woken them" Main.giveBack "$(jsonq "$tmp/report" '.blocked[0].waker.begin.function')"
	known=$(jsonq "$tmp/report" '.blocked[0].waker.of')
	same "$1: wakes by it" "$known" "$(jsonq "$tmp/report" '.blocked[0].waker.count')"
}

wakes --sample=1 300
count=$(jsonq "$tmp/report" '.blocked[0].count')
[ "$known" -gt $((count / 2)) ] && [ "$known" -le "$count" ] || fail "of $count wakes $known are known"
wakes --sample=auto 3000

# One for which the program dies, beside one that is killed and one that is woken.
haskell threaded rows/forever
status=0
"$stmlog" record -o "$tmp/data" --no-report -- "$tmp/rows/forever-threaded" with >"$tmp/printed" 2>"$tmp/err" || status=$?
same "the program's own status" 1 $status
grep -q 'blocked indefinitely in an STM transaction' "$tmp/err" || fail "it ended otherwise: $(cat "$tmp/err")"
"$stmlog" check "$tmp/data" >"$tmp/checked" || fail "$(cat "$tmp/checked")"
"$stmlog" report --json "$tmp/data" >"$tmp/report"
for i in 0 1; do
	echo "$(jsonq "$tmp/report" ".blocked[$i].begin.function") $(jsonq "$tmp/report" ".blocked[$i].count") $(jsonq \
		"$tmp/report" ".blocked[$i].for_ever")"
done | sort >"$tmp/blocked"
same "who sleeps for ever" "Main.waitFor 2 0, Main.waitForEver 1 1" "$(paste -s -d , "$tmp/blocked" | sed 's/,/, /')"
"$stmlog" report --full "$tmp/data" | grep -q '^Blocked after a retry: 3 times, 0 in vain, 1 for ever' ||
	fail "it is not told: $("$stmlog" report --full "$tmp/data")"
same "with: the first row" "waitForEver forever" "$(jsonq "$tmp/report" '.rows[0].name') $(jsonq "$tmp/report" '.rows[0].how')"
"$stmlog" report "$tmp/data" >"$tmp/screen"
grep -q '^ *how *waits for ever: ' "$tmp/screen" || fail "the first screen does not tell it: $(cat "$tmp/screen")"
! grep -q 'look elsewhere' "$tmp/screen" || fail "the fault is not elsewhere: $(cat "$tmp/screen")"
recorded "$tmp/data" -- timeout -k 1 60 "$tmp/rows/forever-threaded" without
! jsonq "$tmp/report" '.rows[].how' | grep -qx forever || fail "without: $("$stmlog" report "$tmp/data")"
