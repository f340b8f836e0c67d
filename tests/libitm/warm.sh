#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The agent makes no system call, takes no lock and allocates nothing, once it is warm: its hooks of all kinds of
# transactions run under a filter for system calls (tests/helpers/watch.c). What the filter finds and is none of that:
#   futex         libitm's own, where threads meet at its serial lock
#   getrusage, processor time    the agent's, after a thread was interrupted, in default mode (NOTES.txt, "Sampling
#                              and estimates")
#   mmap, munmap, madvise        the library's, with two threads: a timelog grows when there are more keys than ever
#                                before, twice as large each time, up to its capacity: at most 8 times for two threads

. "$(dirname "$0")/../helpers/shell.inc"
warm=$O/tests/helpers/warm_transactions
[ -x "$warm" ] || skip "only x86-64 has a filter for this test"
layout=$("$stmlog" info --libitm --variable "$warm")
mmap=9 munmap=11 madvise=28 futex=202

# watched OPTIONS THREADS ARGUMENT...: what the agent asked of the system is in $tmp/out, without the last line.
watched() {
	options=$1 threads=$2
	shift 2
	status=0
	env STMLOG_LIBITM="$layout" STMLOG_OPTIONS="$options:report=none:out=$tmp/data" LD_PRELOAD="$agent" timeout 120 \
		"$warm" "$threads" 20000 "$@" >"$tmp/all" 2>"$tmp/err" || status=$?
	[ $status != 77 ] || skip "$(cat "$tmp/err")"
	same "exit status" "0 " "$status $(cat "$tmp/err")"
	same "last line" watched "$(tail -n 1 "$tmp/all")"
	sed '$d' "$tmp/all" >"$tmp/out"
}

# without NUMBER...: what was found but these system calls
without() {
	for number in "$@"; do
		sed -i "/^syscall $number /d" "$tmp/out"
	done
	cat "$tmp/out"
}

# grown_at_most: drops few calls of mmap, munmap and madvise from $tmp/out.
grown_at_most() {
	for number in $mmap $munmap $madvise; do
		sed -i "/^syscall $number [1-8]\$/d" "$tmp/out"
	done
}

watched sample=1 1 100 plant
same "the system call that was made" 1 "$(grep -c '^syscall [0-9]* 1$' "$tmp/out")"

watched sample=1 1 50000
same "exact mode, one thread" "" "$(cat "$tmp/out")"
watched sample=1 2 50000
grown_at_most
same "exact mode, two threads" "" "$(without $futex)"
echo "ok - in exact mode the agent asks nothing of the system once warm"

for threads in 1 2; do
	watched sample=auto $threads 500000
	grown_at_most
	sed -i '/^getrusage /d; /^cpu-clock /d' "$tmp/out"
	same "default mode, $threads threads" "" "$(without $futex)"
done
echo "ok - in default mode it asks for the time of interrupted threads, and for nothing else"
