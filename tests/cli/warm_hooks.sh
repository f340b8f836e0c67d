#!/bin/sh
# SPDX-License-Identifier: MIT
#
# No hook makes a system call, takes a lock or allocates, once its thread is warm. Two threads of a program that embeds
# the library call all hooks thousands of times, under a filter for system calls (tests/helpers/watch.c). What the filter
# finds and is none of that: the readings of a thread's times behind an interruption, and every 10 ms
# (stmlog/threads/off_processor.h).

. "$(dirname "$0")/cli.inc"
[ -x "$O/tests/helpers/warm_hooks" ] || skip "only x86-64 has a filter for this test"

# watched ARGUMENT...: what the hooks asked of the system is in $tmp/out, without the last line.
watched() {
	status=0
	timeout 120 "$O/tests/helpers/warm_hooks" "$@" >"$tmp/all" 2>"$tmp/err" || status=$?
	[ $status != 77 ] || skip "$(cat "$tmp/err")"
	same "exit status with $*" 0 $status
	silent
	same "last line with $*" watched "$(tail -n 1 "$tmp/all")"
	sed '$d; /^getrusage /d; /^cpu-clock /d' "$tmp/all" >"$tmp/out"
}

watched none old syscall
grep -q '^syscall [0-9]* 1$' "$tmp/out" || fail "a system call was not found: $(cat "$tmp/out")"
watched none old allocation
same "an allocation and its end" "allocation 2" "$(cat "$tmp/out")"
watched none old lock
same "a lock" "lock 1" "$(cat "$tmp/out")"
claim "the filter finds a single system call, allocation or lock"

for timeline in none timeline; do
	watched $timeline old
	same "without new sites ($timeline)" "" "$(cat "$tmp/out")"
done
claim "no hook makes a system call, takes a lock or allocates once warm, with a timeline or without"

# Only rarely more frames are in use at a time than ever before: then one lock and perhaps one mmap() give 64 and more.
for timeline in none timeline; do
	watched $timeline new
	same "calls of malloc" 0 "$(grep -c '^allocation' "$tmp/out" || true)"
	calls=$(awk '{ sum += $NF } END { print sum + 0 }' "$tmp/out")
	[ "$calls" -le 10 ] || fail "new sites ($timeline): $(cat "$tmp/out")"
done
claim "where each of 10,000 rounds has new sites, hooks take memory for frames in at most 10 of them"
