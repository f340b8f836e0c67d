#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Each command needs no more than 64 KiB of stack (ulimit -s), names from debug information included, and a program that
# it runs keeps this limit. All that reads recordings needs nothing of /proc.

. "$(dirname "$0")/cli.inc"

record "$tmp/data" --timeline --sample=1 -- "$O/bench/bank" --meet=50 --threads=2 --operations=500 >/dev/null
contended "$tmp/data"
STMLOG_OPTIONS="timeline=1000,grow:out=$tmp/tasks:report=none" "$O/tests/helpers/tasks" >/dev/null

# on_small_stack STATUS COMMAND...: as run, with a stack of $kilobytes
on_small_stack() {
	wanted_status=$1
	shift
	run "$wanted_status" sh -c 'ulimit -s "$0" && exec "$@"' "$kilobytes" "$@"
}

# as_usual COMMAND ARGUMENT...: prints the same on a small stack as on a usual one
as_usual() {
	tried="$tried $1"
	run 0 "$stmlog" "$@"
	mv "$tmp/out" "$tmp/usual"
	on_small_stack 0 "$stmlog" "$@"
	cmp -s "$tmp/out" "$tmp/usual" || fail "$*: another output"
}

# reads_recordings: all that prints the same each time
reads_recordings() {
	as_usual help
	as_usual check "$tmp/data"
	as_usual info "$tmp/data"
	as_usual report "$tmp/data"
	grep -q 'bank.c:' "$tmp/out" || fail "no names from debug information: $(cat "$tmp/out")"
	for by in site pair object thread cause region; do
		as_usual report --full --by=$by "$tmp/data"
	done
	as_usual report --json "$tmp/data"
	as_usual annotate "$tmp/data"
	for format in $("$stmlog" help export | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
		data=$tmp/data
		[ "$format" != graph ] || data=$tmp/tasks
		as_usual export --format="$format" "$data"
	done
	as_usual merge -o "$tmp/merged" "$tmp/data" "$tmp/data"
	as_usual anonymize "$tmp/data" "$tmp/anonymous"
	as_usual diff --json "$tmp/data" "$tmp/data" -- "$tmp/merged" "$tmp/data"
}

# A program that prints its limit before it makes transactions.
bank=$PWD/$O/bench/bank
printf '#!/bin/sh\nulimit -s\nexec "%s" --meet=50 --threads=2 --operations=500\n' "$bank" >"$tmp/program"
chmod +x "$tmp/program"

# has_limit: the program of the last command had the user's limit
has_limit() {
	same "limit of the program" "$kilobytes" "$(head -1 "$tmp/out")"
}

# runs_programs: what runs a program, which keeps the user's limit
runs_programs() {
	tried="$tried record try"
	for option in --sample=1 --objects --live --paths; do
		on_small_stack 0 "$stmlog" record $option -o "$tmp/small" -- "$tmp/program"
		has_limit
		grep -q 'bank.c:' "$tmp/err" || fail "record $option: no names: $(cat "$tmp/err")"
	done
	on_small_stack 0 "$stmlog" record --runs=2 -o "$tmp/runs-$kilobytes" -- "$tmp/program"
	has_limit
	on_small_stack 0 "$stmlog" try --json --runs=3 -- "$bank" --threads=2 --operations=500
}

for kilobytes in 64 128; do
	tried=
	reads_recordings
	runs_programs
	for command in $("$stmlog" help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
		case " $tried " in *" $command "*) ;; *) fail "$command: not tried" ;; esac
	done
	claim "a stack of $kilobytes KiB is enough for each command and format"
done

if unshare -m umount -l /proc 2>/dev/null; then
	run 0 "$stmlog" report --full "$tmp/data"
	mv "$tmp/out" "$tmp/usual"
	run 0 unshare -m sh -c 'umount -l /proc && exec "$@"' sh "$stmlog" report --full "$tmp/data"
	cmp -s "$tmp/out" "$tmp/usual" || fail "without /proc: another report"
	claim "/proc is not needed"
else
	echo "skipped: no right to take /proc away"
fi
