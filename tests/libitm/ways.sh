#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Each transaction has the callers by which it was reached, and no others, however they call it: with the program's own
# counts.

. "$(dirname "$0")/../helpers/shell.inc"

rounds=1000

# commits NAME: of all rows of the table with this name, the sum
commits() {
	sed 's/^ *from //; s/^[^ ]*:[0-9]* //' "$tmp/table" | awk -v name="$1" '$1 == name { sum += $2 } END { print sum + 0 }'
}

# expect NAME COMMITS: of two threads
expect() {
	same "commits by $1 of $program" "$2" "$(commits "$1")"
}

# find_callers PROGRAM: leaves the table of transactions and their callers in $tmp/table
find_callers() {
	program=$1
	ITM_DEFAULT_METHOD=ml_wt record "$tmp/data" --sample=1 --paths -- "$program" 2 $rounds >"$tmp/out"
	"$stmlog" report --by=transaction "$tmp/data" | tr -d , | sed -n '/^begin at/,/^all/p' >"$tmp/table"
	"$stmlog" export --format=folded --of=time "$tmp/data" >"$tmp/stacks"
}

# The same in a shared library, whose functions are called through stubs.
cat >"$tmp/main.c" <<'END'
int ways(int argc, char **argv);
int main(int argc, char **argv)
{
	return ways(argc, argv);
}
END
cc -std=gnu11 -D_GNU_SOURCE -O2 -g -fgnu-tm -pthread -fPIC -shared -Dmain=ways -Itests/programs/support -Ibench/support \
	-o "$tmp/libways.so" tests/programs/ways.c tests/programs/support/program.c bench/support/meeting.c
cc -g -o "$tmp/main" "$tmp/main.c" "$tmp/libways.so"

ends=$(grep -n 'return take(at + 1);' tests/programs/ways.c | cut -d : -f 1)
for each in "$O/programs/O2/ways" "$tmp/main"; do
	find_callers "$each"
	# The transaction before has committed from the same stack slot. On a busy machine take() may stand twice.
	grep -q ';call;take ' "$tmp/stacks" || fail "call() does not call take(): $(cat "$tmp/stacks")"
	! grep ';call;' "$tmp/stacks" | grep -v ';call;take[; ]' >"$tmp/others" || fail "call() calls others: $(cat "$tmp/others")"
	expect all $((rounds * 16))
	expect store_one $((rounds * 2))
	expect store_two $((rounds * 4))
	expect call $((rounds * 2))
	expect call_between $((rounds * 4))
	expect call_twice $((rounds * 4))
	same "transactions" 2 "$(grep -c '^[^ ]*ways\.c:' "$tmp/table")"
	same "lines of call_twice()" 2 "$(grep -c 'from .* call_twice ' "$tmp/table")"
	expect end_with $((rounds * 2))
	expect end_with_either $((rounds * 2))
	grep -q " from ways\.c:$ends end_with " "$tmp/table" || fail "end_with() calls in line $ends: $(cat "$tmp/table")"
	grep -q ';end_with;take ' "$tmp/stacks" || fail "no stack has end_with(): $(cat "$tmp/stacks")"
done
echo "the place of a begin is its own"
echo "callers that are inlined, call what is inlined, or end with the call, are callers"

# Conflicts, in a function that the transaction calls.
MEETINGS=50 record "$tmp/data" --sample=1 --paths -- "$O/programs/O2/callers" 2 200 >"$tmp/out"
"$stmlog" report --json "$tmp/data" >"$tmp/report"
[ "$(jsonq "$tmp/report" .totals.aborts)" -ge 50 ] || fail "$(jsonq "$tmp/report" .totals.aborts) aborts of 50 by construction"
"$stmlog" report --by=transaction "$tmp/data" | tr -d , | sed -n '/^begin at/,/^all/p' >"$tmp/table"
same "transactions" 1 "$(sed 1d "$tmp/table" | grep -c '^[^ ]*callers\.c:')"
same "commits" 400 "$(commits transact)"
same "callers" 2 "$(grep -cE 'from .* come_from_(left|right) ' "$tmp/table")"
echo "failed attempts are those of the transaction that has failed"

# One of the callers ends with the call.
sed 's/transact() + 1/transact()/; s/return 1;/return 2;/; s/transact() + (unsigned)/transact() * (unsigned)/' \
	tests/programs/callers.c >"$tmp/callers.c"
cc -std=gnu11 -D_GNU_SOURCE -O2 -g -fgnu-tm -pthread -Itests/programs/support -Ibench/support \
	-o "$tmp/callers" "$tmp/callers.c" tests/programs/support/program.c tests/programs/support/meet.c bench/support/meeting.c
MEETINGS=50 record "$tmp/data" --sample=1 --paths -- "$tmp/callers" 2 200 >"$tmp/out"
"$stmlog" report --json "$tmp/data" >"$tmp/report"
"$stmlog" report --by=transaction "$tmp/data" | sed -n '/^begin at/,/^all/p' >"$tmp/table"
for line in how data; do
	jsonq "$tmp/report" ".rows[0].text.$line"
done | sed -n 's/.* % from //p' >"$tmp/from"
grep -qE '^come_from_(left|right) :[0-9]+$' "$tmp/from" || fail "the first row: $(jsonq "$tmp/report" '.rows[0].text.how')"
read -r name line <"$tmp/from"
grep -q "  from callers.c$line $name " "$tmp/table" || fail "$name at $line is no caller: $(cat "$tmp/table")"
grep -q '  from .* come_from_left ' "$tmp/table" || fail "come_from_left() is no caller: $(cat "$tmp/table")"
"$stmlog" report --full "$tmp/data" | grep -A 4 'blocked by' | grep -q 'come_from_left$' || fail "no culprit came from come_from_left()"
echo "the first screen and the tracebacks of culprits name the same callers"
