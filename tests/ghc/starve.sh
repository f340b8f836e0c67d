#!/bin/sh
# SPDX-License-Identifier: MIT
#
# One transaction that fails 50 times has all of the loss. By default its third and all later failures are known: how long
# they took, by the program's own stamps, and because of whom. The first two are known if it was sampled: among the first
# transactions of the program, or by chance.

. "$(dirname "$0")/ghc.inc"

haskell threaded starve

# fails_often BEFORE: behind so many other transactions.
fails_often() {
	recorded "$tmp/data" -- timeout -k 1 60 "$tmp/starve-threaded" 50 "$1" +RTS -N2 -V0 -A64m -I0
	same "pokes that the last attempt has seen" 50 "$(sed -n 1p "$tmp/printed")"
	same "aborts" 50 "$(jsonq "$tmp/report" .totals.aborts)"
	same "commits" $((51 + $1)) "$(jsonq "$tmp/report" .totals.commits)"
	measured=$(entries_with reason self-abort)
	[ "$1" -gt 2 ] && [ "$measured" = 48 ] || same "aborts that were measured" 50 "$measured"
	same "culprits" "$measured certain" "$(grades)"
	same "others than poke" "" "$(others "poke'")"

	# What is done at each failure is the profiler's own time; and the stamps count time off the processor as well.
	found=0
	for row in aborted other descheduled; do
		found=$((found + $(jsonq "$tmp/report" .totals.${row}_ns)))
	done
	late=$(sed -n 2p "$tmp/printed")
	[ "$found" -ge $((late / 10 * 9)) ] || fail "$found ns found; by the stamps $late ns from the third failure on"

	"$stmlog" report "$tmp/data" >"$tmp/text"
	! grep -q "little is lost" "$tmp/text" || fail "little is lost: $(cat "$tmp/text")"
}

for before in 0 2 20000 20001; do
	fails_often $before
done

# On one processor the transaction has to leave it for each poke. Text and JSON know the time.
processor=$(taskset -cp $$ | sed 's/.*: *//; s/[^0-9].*//')
recorded "$tmp/data" -- taskset -c "$processor" timeout -k 1 60 "$tmp/starve-threaded" 50 0 +RTS -N2 -V0 -A64m -I0
[ "$(jsonq "$tmp/report" .totals.descheduled_ns)" -gt 0 ] || skip "the kernel or the C library has no restartable sequences"
same "time off the processor is known" true "$(jsonq "$tmp/report" .totals.descheduled_known)"
"$stmlog" report --full "$tmp/data" >"$tmp/text"
grep -q '^descheduled  *[1-9]' "$tmp/text" || fail "the text does not know it: $(cat "$tmp/text")"
