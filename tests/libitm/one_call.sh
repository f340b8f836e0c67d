#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A stack has one frame for one call of a function, also where a transaction that is inlined in it begins at one line and
# accesses data at another, in a function that is inlined, too. All else that calls the function is on the stack.

. "$(dirname "$0")/../helpers/shell.inc"

cat >"$tmp/desk.c" <<'END'
#include "meeting.h"
#include "program.h"

#define INLINED static inline __attribute__((always_inline))
#define CALLED __attribute__((noipa))

static struct {
	_Alignas(64) uint64_t value;
} near, far;

static unsigned threads, rounds;

INLINED __attribute__((transaction_safe)) void put(uint64_t *value)
{
	*value += 1; /* the line of the write */
	program_work(300);
}

CALLED __attribute__((transaction_safe)) void send(uint64_t *value)
{
	*value += 1;
	program_work(300);
}

INLINED void add_order(void)
{
	__transaction_atomic /* the line of the begin */
	{
		meeting_enter();
		put(&near.value);
		meeting_hold();
	}
}

CALLED void serve(void)
{
	add_order();
	__asm__ volatile("" ::: "memory");
}

CALLED void queue(unsigned waiting)
{
	if (waiting == 0)
		serve();
	else
		queue(waiting - 1);
	__asm__ volatile("" ::: "memory");
}

CALLED void deliver(void)
{
	__transaction_atomic
	{
		meeting_enter();
		send(&far.value);
		meeting_hold();
	}
	__asm__ volatile("" ::: "memory");
}

static void body(unsigned number)
{
	meeting_join(number, threads, program_meetings());
	for (unsigned i = 0; i < rounds; i++) {
		meeting_next();
		if (i / 4 % 2 == 0)
			queue(2);
		else
			deliver();
	}
}

int main(int argc, char **argv)
{
	threads = program_threads(argc, argv);
	rounds = program_number(argc, argv, 2, 1000);
	program_run(threads, body);
	return program_result(near.value + far.value == (uint64_t)rounds * threads, rounds);
}
END
cc -std=gnu11 -D_GNU_SOURCE -O2 -g -fgnu-tm -pthread -Itests/programs/support -Ibench/support -o "$tmp/desk" "$tmp/desk.c" \
	tests/programs/support/program.c bench/support/meeting.c
MEETINGS=60 record "$tmp/data" --sample=1 --paths -- "$tmp/desk" 2 200 >"$tmp/out"

# sides FOLDED: the stack of each side of each line, outermost first or innermost first.
sides() {
	sed 's/ [0-9]*$//; s/;--;/\n/' "$1"
}

# most_of NAME STACKS: how often the name stands in one stack, at most
most_of() {
	tr -s '\n' <"$2" | awk -F ';' -v name="$1" '{ n = 0; for (i = 1; i <= NF; i++) n += $i == name; if (n > most) most = n }
		END { print most + 0 }'
}

expect_stacks() {
	for name in put add_order serve send deliver; do
		same "$name in one stack of $1" 1 "$(most_of $name "$1")"
	done
	grep -qE '(^|;)(add_order;put|put;add_order)(;|$)' "$1" || fail "add_order() does not call put(): $(cat "$1")"
	grep -qE '(^|;)(deliver;send|send;deliver)(;|$)' "$1" || fail "deliver() does not call send(): $(cat "$1")"
}

"$stmlog" export --format=folded "$tmp/data" >"$tmp/folded"
sides "$tmp/folded" >"$tmp/losses"
expect_stacks "$tmp/losses"
same "queue in one stack" 3 "$(most_of queue "$tmp/losses")"
echo "folded: a call of a function is one frame, and what the transaction calls and recursion outside stay"

"$stmlog" export --format=folded --of=time "$tmp/data" | sed 's/ [0-9]*$//' >"$tmp/time"
expect_stacks "$tmp/time"
"$stmlog" report --by=path --top=99 "$tmp/data" >"$tmp/paths"
writes=$(grep -n 'the line of the write' "$tmp/desk.c" | cut -d : -f 1)
begins=$(grep -n 'the line of the begin' "$tmp/desk.c" | cut -d : -f 1)
grep -q "desk.c:$writes" "$tmp/paths" || fail "no put(): $(cat "$tmp/paths")"
! grep -A 1 "desk.c:$begins" "$tmp/paths" | grep -q serve || fail "add_order() calls serve(): $(cat "$tmp/paths")"
echo "so it is in the time by call path"

"$stmlog" report --json "$tmp/data" >"$tmp/json"
jsonq "$tmp/json" '.entries[].remote.begin.line' | grep -qx "$begins" || fail "no begin: $(cat "$tmp/json")"
same "callers of add_order" 1 "$("$stmlog" report --by=transaction "$tmp/data" | grep -c "desk.c:$begins.* add_order")"
jsonq "$tmp/json" '.rows[].name' | grep -qx add_order || fail "no row of add_order(): $(jsonq "$tmp/json" '.rows[].name')"
echo "where the transaction begins is known all the same"

"$stmlog" anonymize "$tmp/data" "$tmp/anonymous"
"$stmlog" export --format=folded "$tmp/anonymous" | tr -cd ';\n' | sort >"$tmp/found"
tr -cd ';\n' <"$tmp/folded" | sort >"$tmp/wanted"
cmp "$tmp/wanted" "$tmp/found" || fail "other stacks: $(cat "$tmp/found")"
echo "an anonymized recording has as many frames"
