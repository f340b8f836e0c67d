#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs that are compared, by `stmlog try` and `stmlog record --runs`: the user's signal ends all of them, whatever the
# program does with it, and the run that it meets counts nowhere; and each run ends with all its processes. Programs are
# scripts that run a program with transactions, and meet the test at FIFOs.

. "$(dirname "$0")/cli.inc"

bank="$PWD/$O/bench/bank --threads=1 --operations=10"
runs=$tmp/runs
TMPDIR=$tmp/tmp
export TMPDIR
mkdir "$TMPDIR" "$tmp/scripts"
mkfifo "$tmp/ready"

# script NAME TEXT: a program that appends its number to $tmp/numbers and runs the text
script() {
	printf '#!/bin/sh\necho $$ >>"%s/numbers"\n%s\n' "$tmp" "$2" >"$tmp/scripts/$1"
	chmod +x "$tmp/scripts/$1"
}

# only_run N: in a script, all other runs end here
only_run() {
	echo "$bank >/dev/null; [ \$(wc -l <'$tmp/numbers') = $1 ] || { echo 1; exit 0; }"
}

# interrupt SIGNAL COMMAND...: sends the signal to the command when its program has written to $tmp/ready. The command's
# exit status is in $status.
interrupt() {
	signal=$1
	shift
	rm -rf "$tmp/numbers" "$runs"
	env --default-signal=INT,TERM,HUP "$@" >"$tmp/out" 2>"$tmp/err" &
	series=$!
	read -r line <"$tmp/ready" || fail "the program was not interrupted: $(cat "$tmp/err")"
	kill "-$signal" $series
	status=0
	wait $series || status=$?
}

# counts_nowhere NAME: the second of the runs, in which the script was interrupted, was the last one of the series
counts_nowhere() {
	interrupt TERM "$stmlog" record --runs=3 --no-report -o "$runs" -- "$tmp/scripts/$1"
	same "exit status" 143 $status
	one_line "run-2.data: this run was ended by signal 15, and so is the series"
	same "files" "run-1.data" "$(ls -A "$runs")"
	same "runs" 2 "$(wc -l <"$tmp/numbers")"
}

# without_progress: stderr without the lines in which try says how long it may take, and how it stands
without_progress() {
	grep -q ': one run takes ' "$tmp/err" || fail "try does not say how long it may take: $(cat "$tmp/err")"
	sed -i '/: one run takes /d; /: turn [0-9]* of [0-9]*: /d' "$tmp/err"
}

# is_interrupted SIGNAL NUMBER NAME: so it was with try, which compares nothing then
is_interrupted() {
	interrupt "$1" "$stmlog" try --metric='[0-9]+' -- "$tmp/scripts/$3"
	same "exit status of try" $((128 + $2)) $status
	without_progress
	one_line "try: was ended by signal $2; nothing is compared"
	same "runs of try" 2 "$(wc -l <"$tmp/numbers")"
	same "what is left" "" "$(ls -A "$TMPDIR")"
}

script ends "$(only_run 2)
trap 'echo 1; exit 0' TERM
echo >'$tmp/ready'
while :; do sleep 0.05; done"
counts_nowhere ends
is_interrupted TERM 15 ends
interrupt TERM "$stmlog" record --runs=3 --no-report -o "$runs" --vs "$tmp/scripts/ends" -- "$tmp/scripts/ends"
same "exit status with --vs" 143 $status
same "files with --vs" "old-1.data" "$(ls -A "$runs")"
claim "a program that is interrupted ends the runs though it succeeds"

script fails "$(only_run 2)
trap 'exit 9' TERM
echo >'$tmp/ready'
while :; do sleep 0.05; done"
counts_nowhere fails
is_interrupted TERM 15 fails
claim "so does one that fails"

script ignores "$(only_run 2)
trap '' INT
echo >'$tmp/ready'
exec sleep 600"
is_interrupted INT 2 ignores
! kill -0 "$(tail -n 1 "$tmp/numbers")" 2>"$tmp/gone" || fail "the program goes on"
claim "so does one that ignores the signal, and it is ended"

# The second run is the first one of the program as it is that counts; the third has another setting.
script setting "$(only_run 3)
trap 'exit 1' TERM
echo >'$tmp/ready'
while :; do sleep 0.05; done"
interrupt TERM "$stmlog" try --metric='[0-9]+' -- "$tmp/scripts/setting"
same "exit status" 143 $status
same "runs" 3 "$(wc -l <"$tmp/numbers")"
claim "a setting has not failed because the user has interrupted it"

# ---- processes ----

# none_left NUMBER: so many processes or more have noted their numbers, and are gone
none_left() {
	[ "$(wc -l <"$tmp/daemons")" -ge "$1" ] || fail "only these were noted: $(cat "$tmp/daemons")"
	while read -r number; do
		! kill -0 "$number" 2>"$tmp/gone" || fail "process $number goes on"
	done <"$tmp/daemons"
	rm -rf "$tmp/daemons" "$tmp/numbers" "$runs"
}

# The first two runs leave a process each with a session of its own.
mkfifo "$tmp/met"
script leaves "$bank >/dev/null; [ \$(wc -l <'$tmp/numbers') -le 2 ] || { echo 1; exit 0; }
(setsid sh -c 'echo \$\$ >>$tmp/daemons; echo >$tmp/met; exec sleep 600' &)
read line <'$tmp/met'
echo 1"
rm -rf "$tmp/numbers" "$runs"
run 0 "$stmlog" record --runs=2 --no-report -o "$runs" -- "$tmp/scripts/leaves"
one_line "leaves: leaves processes behind; they are ended with each run"
same "files" "run-1.data run-2.data" "$(ls -A "$runs" | tr '\n' ' ' | sed 's/ $//')"
none_left 2
run 0 "$stmlog" try --runs=3 --metric='[0-9]+' -- "$tmp/scripts/leaves"
without_progress
one_line "leaves: leaves processes behind; they are ended with each run"
none_left 2
claim "daemons end with the run that has made them"

script hangs "$bank >/dev/null
if [ \"\${ITM_DEFAULT_METHOD:-}\" = serial ]; then
	trap 'exit 0' TERM
	sh -c 'echo \$\$ >>$tmp/daemons; exec sleep 600' &
	wait
fi
echo 1"
run 0 "$stmlog" try --runs=3 --metric='[0-9]+' -- "$tmp/scripts/hangs"
without_progress
silent
says "ITM_DEFAULT_METHOD=serial: was stopped: it took far longer than the program as it is"
none_left 1
claim "so does the program behind a wrapper that takes too long, and then succeeds"

# Its daemon has transactions, and waits until this file is removed.
: >"$tmp/stay"
outlives=$(realpath "$programs/O2/outlives")
run 2 "$stmlog" record --runs=2 --no-report -o "$runs" -- "$outlives" daemon "$tmp/stay"
one_line "$outlives: its process "
one_line " went on and had to be ended, before its recording was whole; wait for it"
same "files" "" "$(ls -A "$runs")"
run 2 "$stmlog" try -- "$outlives" daemon "$tmp/stay"
one_line " went on and had to be ended, before its recording was whole; wait for it"
same "what is left" "" "$(ls -A "$TMPDIR")"
rm -r "$runs"
claim "a run whose daemon has transactions is void, and a line says so"

# shellcheck disable=SC2086 # $nobody is words
if [ "$(id -u)" = 0 ] && for_everybody "$O/bench/bank" "$(command -v setpriv)" && chmod 4755 "$everybodys/setpriv" &&
	[ "$($nobody "$everybodys/setpriv" --reuid=0 id -ru)" = 0 ]; then
	mkdir "$tmp/nobodys"
	chmod 777 "$tmp/nobodys"
	printf '#!/bin/sh\n%s >/dev/null\n%s --reuid=0 sh -c '"'echo \$\$ >%s; echo >%s; exec sleep 600'"' &\nread line <%s\n' \
		"$everybodys/bank --threads=1 --operations=10" "$everybodys/setpriv" "$tmp/nobodys/number" "$tmp/nobodys/met" "$tmp/nobodys/met" >"$tmp/nobodys/leaves"
	chmod 755 "$tmp/nobodys/leaves"
	mkfifo -m 666 "$tmp/nobodys/met"
	# shellcheck disable=SC2086
	run 2 $nobody "$everybodys/stmlog" record --runs=2 --no-report -o "$tmp/nobodys/runs" -- "$tmp/nobodys/leaves"
	kill "$(cat "$tmp/nobodys/number")"
	one_line "leaves: leaves processes behind that cannot be ended, and would disturb the next run"
	same "files" "" "$(ls -A "$tmp/nobodys/runs")"
	claim "a run whose processes cannot be ended is void, and the last one"
else
	echo "skipped: only root can make processes that its caller cannot end"
fi

# ---- a terminal ----

needs_terminal
rm -f "$tmp/numbers"
script asks "$bank >/dev/null
trap 'echo caught >$tmp/caught; exit 0' INT
echo >'$tmp/ready'
read line </dev/tty
echo \"\$line\" >$tmp/typed
echo >'$tmp/answered'
while :; do sleep 0.05; done"
# A second FIFO: where one is opened again before its last writer has closed it, a reader finds its end.
mkfifo "$tmp/keys" "$tmp/answered"
status=0
timeout -k 1 60 script -qec "$stmlog record --runs=3 --no-report -o $runs -- $tmp/scripts/asks" /dev/null \
	<"$tmp/keys" >"$tmp/seen" 2>&1 &
terminal=$!
exec 3>"$tmp/keys"
read -r line <"$tmp/ready" || fail "the program has ended: $(cat "$tmp/seen")"
printf 'words\n' >&3
read -r line <"$tmp/answered" || fail "the program has ended: $(cat "$tmp/seen")"
printf '\003' >&3
wait $terminal || status=$?
exec 3>&-
same "what was typed" words "$(cat "$tmp/typed")"
same "what the program did" caught "$(cat "$tmp/caught")"
same "exit status" 130 $status
grep -q "run-1.data: this run was ended by signal 2, and so is the series" "$tmp/seen" || fail "$(cat "$tmp/seen")"
same "files" "" "$(ls -A "$runs")"
claim "the program reads the terminal, and Ctrl-C reaches it and ends the runs"
