#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Threads that are still there when the recording is made: of those that wait, each commit, restart and cancel is
# counted, as if they had ended; of those that still transact, all up to about then.

. "$(dirname "$0")/../helpers/shell.inc"

threads=4 rounds=5000
commits=$((threads * rounds))
MEETINGS=50
export MEETINGS

# outlive OPTION BUSY: leaves the report, and in `attempts` what the program has counted
outlive() {
	what="$1, $(($2 - 1)) threads go on"
	record "$tmp/data" "$1" -- "$programs/O2/outlive" $threads $rounds "$2" >"$tmp/out"
	"$stmlog" check "$tmp/data" >"$tmp/check" || fail "$what: $(cat "$tmp/check")"
	"$stmlog" report --json "$tmp/data" >"$tmp/report"
	attempts=$(sed -n 's/^attempts //p' "$tmp/out")
	[ "$attempts" -ge $((2 * commits + 50)) ] || fail "$what: $attempts attempts, though threads were to meet 50 times"
	same "$what: commits" $commits "$(jsonq "$tmp/report" .totals.commits)"
	same "$what: sum over the threads" $commits "$(total "$tmp/report" '.threads[].commits')"
	same "$what: threads whose commits are not theirs" "" \
		"$(jsonq "$tmp/report" '.threads[].commits' | grep -vx $rounds)"
	same "$what: exact" true "$(jsonq "$tmp/report" .totals.exact)"
}

for option in --sample=1 --sample=16 --sample=1000 --sample=auto; do
	outlive "$option" 1
	same "$what: restarts and cancels" $((attempts - commits)) "$(jsonq "$tmp/report" .totals.aborts)"
	"$stmlog" report --full "$tmp/data" | grep -q 'exact, of all transactions' || fail "$what: not called exact"
	outlive "$option" 3
	least=$((attempts - commits - 2)) # each of the two may have begun an attempt that has not ended
	aborts=$(jsonq "$tmp/report" .totals.aborts)
	[ "$aborts" -ge $least ] || fail "$what: $aborts aborts of at least $least"
done
