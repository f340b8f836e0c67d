#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Preemption is no contention: where another thread of a program that embeds the library has the processor, the time is
# in the row "descheduled", and neither aborted nor paused nor committed (tests/helpers/displaced.c).

. "$(dirname "$0")/cli.inc"

# displaced OPTIONS: runs the program. Its report is in $tmp/report, what it knows itself in $tmp/known.
displaced() {
	STMLOG_OPTIONS="out=$tmp/data:report=none:$1" timeout 60 "$O/tests/helpers/displaced" >"$tmp/known" ||
		fail "the program has failed"
	run 0 "$stmlog" check "$tmp/data"
	"$stmlog" report --json "$tmp/data" >"$tmp/report"
}

# known NAME: what the program knows
known() {
	awk -v name="$1" '$1 == name { print $2 }' "$tmp/known"
}

# at_most WHAT NUMBER MOST
at_most() {
	[ "$2" -le "$3" ] || fail "$1: $2, at most $3 expected"
}

for options in clock=monotonic clock=tsc timeline=1000; do
	displaced "$options"
	[ "$(jsonq "$tmp/report" .totals.descheduled_known)" = true ] ||
		skip "the kernel or the C library has no restartable sequences"
	off=$(jsonq "$tmp/report" .totals.descheduled_ns)
	at_most "$options: time that the other thread had the processor" "$(($(known other) * 9 / 10))" "$off"
	on=$(($(jsonq "$tmp/report" .totals.committed_ns) + $(jsonq "$tmp/report" .totals.aborted_ns) +
		$(jsonq "$tmp/report" .totals.paused_ns)))
	at_most "$options: time in transactions on the processor" "$on" "$(($(known own) * 11 / 10))"
	at_most "$options: descheduled by entries" 30000000 "$(total "$tmp/report" '.entries[].descheduled_ns')"
	same "$options: aborts" 1 "$(jsonq "$tmp/report" .totals.aborts)"
done
claim "time off the processor is no part of time aborted, paused or committed"

GLIBC_TUNABLES=glibc.pthread.rseq=0 displaced clock=monotonic
same "descheduled" 0 "$(jsonq "$tmp/report" .totals.descheduled)"
same "descheduled is known" false "$(jsonq "$tmp/report" .totals.descheduled_known)"
"$stmlog" report --full "$tmp/data" >"$tmp/out"
grep -q 'descheduled .*not known' "$tmp/out" || fail "no word of it: $(cat "$tmp/out")"
claim "without restartable sequences the report says that it is not known"
