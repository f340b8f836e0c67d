#!/bin/sh
# SPDX-License-Identifier: MIT
#
# All that reads recordings needs no more than 64 KiB of stack (ulimit -s), names from debug information included, and
# nothing of /proc.

. "$(dirname "$0")/cli.inc"

record "$tmp/data" --timeline --sample=1 -- "$O/bench/bank" --meet=50 --threads=2 --operations=500 >/dev/null
contended "$tmp/data"

# as_usual ARGUMENT...: prints the same on a small stack as on a usual one
as_usual() {
	run 0 "$stmlog" "$@"
	mv "$tmp/out" "$tmp/usual"
	run 0 sh -c 'ulimit -s 64 && exec "$@"' sh "$stmlog" "$@"
	cmp -s "$tmp/out" "$tmp/usual" || fail "$*: another output"
}

as_usual check "$tmp/data"
as_usual info "$tmp/data"
as_usual report "$tmp/data"
grep -q 'bank.c:' "$tmp/out" || fail "no names from debug information: $(cat "$tmp/out")"
for by in site pair object thread cause region; do
	as_usual report --full --by=$by "$tmp/data"
done
as_usual report --json "$tmp/data"
STMLOG_OPTIONS="timeline=1000,grow:out=$tmp/tasks:report=none" "$O/tests/helpers/tasks" >/dev/null
for format in $("$stmlog" help export | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
	data=$tmp/data
	[ "$format" != graph ] || data=$tmp/tasks
	as_usual export --format="$format" "$data"
done
as_usual merge -o "$tmp/merged" "$tmp/data" "$tmp/data"
as_usual diff --json "$tmp/data" "$tmp/data" -- "$tmp/merged" "$tmp/data"
claim "a small stack is enough for each command and format"

unshare -m umount -l /proc 2>/dev/null || skip "no right to take /proc away"
run 0 "$stmlog" report --full "$tmp/data"
mv "$tmp/out" "$tmp/usual"
run 0 unshare -m sh -c 'umount -l /proc && exec "$@"' sh "$stmlog" report --full "$tmp/data"
cmp -s "$tmp/out" "$tmp/usual" || fail "without /proc: another report"
claim "/proc is not needed"
