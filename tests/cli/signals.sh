#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Signals that are sent to `stmlog record` while its program runs.

. "$(dirname "$0")/cli.inc"

mkdir "$tmp/job"

# begin SCRIPT: records a shell script in the background, waits until the script has made the file $tmp/ready, and
# leaves the number of the recording process in $recorder.
begin() {
	rm -f "$tmp/ready"
	"$stmlog" record -o "$tmp/job/data" sh -c "$1" >"$tmp/out" 2>"$tmp/err" &
	recorder=$!
	wait_for [ -e "$tmp/ready" ]
}

ended() {
	status=0
	wait "$recorder" || status=$?
	same "exit status" "$1" "$status"
	same "what is left" "" "$(ls -A "$tmp/job")"
}

pause="i=0; while [ \$i -lt 200 ]; do sleep 0.05; i=\$((i + 1)); done"

begin "trap 'exit 7' TERM; : >'$tmp/ready'; $pause"
kill -TERM "$recorder"
ended 7
claim "SIGTERM goes to the program, whose status is kept"

begin "trap 'exit 8' HUP; : >'$tmp/ready'; $pause"
kill -HUP "$recorder"
ended 8
claim "so does SIGHUP"

begin ": >'$tmp/ready'; $pause"
kill -TERM "$recorder"
ended 143
one_line "signal 15"
claim "a program that does not catch it ends by it, and nothing is left behind"

begin "trap 'exit 9' TERM; : >'$tmp/ready'; $pause"
kill -INT "$recorder"
kill -QUIT "$recorder"
kill -TERM "$recorder"
ended 9
claim "SIGINT and SIGQUIT do not end the one who waits"

{
	status=0
	"$stmlog" record -o "$tmp/job/data" sh -c 'sleep 0.5; exit 3' 2>&1 >"$tmp/out" || status=$?
	echo $status >"$tmp/status"
} | true
wait_for [ -s "$tmp/status" ]
same "exit status with nobody to read stderr" 3 "$(cat "$tmp/status")"
status=0
sh -c 'ulimit -f 0 && exec "$@"' sh "$stmlog" record -o "$tmp/job/data" sh -c 'exit 3' >/dev/null 2>&1 || status=$?
same "exit status where no file may grow" 3 $status
(ulimit -f 0 && exec "$stmlog" record -o "$tmp/job/data" "$O/bench/bank" --threads=1 --operations=1) 2>&1 >/dev/null |
	cat >"$tmp/lines"
same "lines where no file may grow" 2 "$(grep -c 'File too large; allow the process larger files (ulimit -f)$' "$tmp/lines")"
same "all lines" 2 "$(wc -l <"$tmp/lines")"
same "what is left" "" "$(ls -A "$tmp/job")"
claim "the program's status is returned although stderr is a closed pipe, or no file may grow, and the lines say so"

status=0
sh -c 'trap "" CHLD && exec timeout 60 "$@"' sh "$stmlog" record -o "$tmp/job/data" sh -c 'exit 3' >/dev/null 2>&1 ||
	status=$?
same "exit status where SIGCHLD was ignored" 3 $status
claim "the program's status is returned although SIGCHLD was ignored"
