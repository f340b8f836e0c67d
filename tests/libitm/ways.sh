#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Each transaction has the callers by which it was reached, and no others, however they call it: with the program's own
# counts.

. "$(dirname "$0")/../helpers/shell.inc"

rounds=1000
ITM_DEFAULT_METHOD=ml_wt record "$tmp/data" --sample=1 --paths -- "$O/programs/O2/ways" 2 $rounds >"$tmp/out"

# The transaction before has committed from the same stack slot.
"$stmlog" export --format=folded --of=time "$tmp/data" >"$tmp/stacks"
grep -q ';call;take ' "$tmp/stacks" || fail "call() does not call take(): $(cat "$tmp/stacks")"
! grep ';call;' "$tmp/stacks" | grep -v ';call;take ' >"$tmp/others" || fail "call() calls others: $(cat "$tmp/others")"
echo "the place of a begin is its own"

"$stmlog" report --by=transaction "$tmp/data" | tr -d , | sed -n '/^begin at/,/^all/p' >"$tmp/table"

# commits NAME: of all rows of the table with this name, the sum
commits() {
	sed 's/^ *from //; s/^[^ ]*:[0-9]* //' "$tmp/table" | awk -v name="$1" '$1 == name { sum += $2 } END { print sum + 0 }'
}

# Of two threads.
expect() {
	same "commits by $1" "$2" "$(commits "$1")"
}
expect all $((rounds * 14))
expect store_one $((rounds * 2))
expect store_two $((rounds * 4))
expect call $((rounds * 2))
expect call_between $((rounds * 4))
expect call_twice $((rounds * 4))
same "transactions" 2 "$(grep -c '^[^ ]*ways\.c:' "$tmp/table")"
same "lines of call_twice()" 2 "$(grep -c 'from .* call_twice ' "$tmp/table")"
echo "callers that are inlined, and call what is inlined, are callers"

# Conflicts, in a function that the transaction calls.
MEETINGS=50 record "$tmp/data" --sample=1 --paths -- "$O/programs/O2/callers" 2 200 >"$tmp/out"
"$stmlog" report --json "$tmp/data" >"$tmp/report"
[ "$(jsonq "$tmp/report" .totals.aborts)" -ge 50 ] || fail "$(jsonq "$tmp/report" .totals.aborts) aborts of 50 by construction"
"$stmlog" report --by=transaction "$tmp/data" | tr -d , | sed -n '/^begin at/,/^all/p' >"$tmp/table"
same "transactions" 1 "$(sed 1d "$tmp/table" | grep -c '^[^ ]*callers\.c:')"
same "commits" 400 "$(commits transact)"
same "callers" 2 "$(grep -cE 'from .* come_from_(left|right) ' "$tmp/table")"
echo "failed attempts are those of the transaction that has failed"
