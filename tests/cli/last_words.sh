#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The profiler's own reading and writing changes nothing for the program: not its exit status, not its files. Each way is
# compared with the same program without the profiler.

. "$(dirname "$0")/cli.inc"

program=$O/programs/O2/last_words

# bare STATUS ARGUMENT...: so it ends without the profiler.
bare() {
	run "$@"
	silent
}

# recorded: the recording is there and whole.
recorded() {
	run 0 "$stmlog" check "$tmp/data"
	rm "$tmp/data"
}

bare 23 "$program" cancelled
run 23 timeout 60 "$stmlog" record -o "$tmp/data" --no-report -- "$program" cancelled
recorded
bare 25 "$program" cancelled-now
run 25 timeout 60 "$stmlog" record -o "$tmp/data" --no-report -- "$program" cancelled-now
recorded
claim "a thread that is to be cancelled ends the process with its status, and the recording is there"

bare 0 "$program" database "$tmp/database"
rm "$tmp/database"
for options in report=stderr "report=none:out=$tmp/nowhere/file" "no_such_key=1:report=none"; do
	run 0 env LD_PRELOAD="$agent" STMLOG_OPTIONS="$options" "$program" database "$tmp/database"
	same "what is in the program's database after $options" "" "$(cat "$tmp/database")"
done
claim "nothing is written into a file of the program's that has become descriptor 2"

status=0
{ LD_PRELOAD="$agent" STMLOG_OPTIONS=report=stderr "$program" plainly; echo $? >"$tmp/status"; } 2>&1 >/dev/null | true
same "status with a closed pipe for the report" 0 "$(cat "$tmp/status")"
{ LD_PRELOAD="$agent" STMLOG_OPTIONS="report=none:out=$tmp/data" "$program" limit; echo $? >"$tmp/status"; } 2>&1 | cat >"$tmp/err"
same "status with a limit of file sizes" 0 "$(cat "$tmp/status")"
one_line "File too large"
same "what is left beside the recording" "" "$(find "$tmp" -name 'data*' ! -name database)"
claim "a closed pipe and the limit of file sizes are errors of ours, and no signals for the program"

program=$O/programs/O2/leave_last
for last in main other; do
	bare 0 timeout 60 "$program" $last
	says "the exit handler has run"
	run 0 timeout 60 "$stmlog" record -o "$tmp/data" --no-report -- "$program" $last
	says "the exit handler has run"
	recorded
done
claim "the process ends with its last thread, whichever that is"

program=$O/programs/O2/small_stack
bare 21 "$program" thread
run 21 "$stmlog" record -o "$tmp/data" --no-report -- "$program" thread
recorded
bare 22 "$program" handler
run 22 "$stmlog" record -o "$tmp/data" --no-report -- "$program" handler
recorded
claim "outputs need no stack of the program's"
