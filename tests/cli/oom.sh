#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The kernel's killer for want of memory kills the program and its watcher, which share their memory. The watcher's heir
# makes the recording.

. "$(dirname "$0")/cli.inc"
. "$(dirname "$0")/memory_group.inc"

make_memory_group 48 || skip "no group of processes with a limit of memory can be made here"

# In an hour it would allocate enough.
run 137 "$stmlog" record -o "$tmp/data" --no-report -- "$tmp/in_group" "$programs/O2/hungry" 2 10000
same "lines on stderr" "" "$(cat "$tmp/err")"
made=$(tail -n 1 "$tmp/out")
run 0 "$stmlog" report --json "$tmp/data"
recorded=$(jsonq "$tmp/out" .totals.commits)
same "the signal" 9 "$(jsonq "$tmp/out" .ending.signal)"
# It may be killed before it prints the number.
[ "$recorded" = "$made" ] || same "recorded transactions" $((made + 1000)) "$recorded"
claim "of a program that is killed for want of memory, all is recorded"
