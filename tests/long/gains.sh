#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Whether `stmlog predict` says what programs gain when their faults are mended: of each program of tests/gains a
# recording of the faulty form is replayed, and beside it both forms run without the profiler. The programs of bench/,
# which have no fault, are replayed with another method. A recording of one thread is replayed with two. Machines change
# their speed for minutes, so each turn measures all programs once, and only results of one turn are compared. Results
# count only while the host of a virtual machine leaves its processors where they are. Prints a table; exit status 1 if
# fewer than eight of ten gains are near the measured ones, or fewer than nine of ten intervals hold them.
#
# On demand (make gains), some eight minutes a turn; nothing else should run on the machine.
# usage: sh tests/long/gains.sh [TURNS [PROGRAM...]]
# GAINS_RESULTS: a folder that keeps the results; tests/gains/tally.py prints their table again.

STMLOG_BUILT=${STMLOG_BUILT:-1} # make gains builds what is needed
. "$(dirname "$0")/../helpers/shell.inc"

turns=${1:-5}
[ $# -eq 0 ] || shift
sources=tests/gains
command -v python3 >/dev/null || skip "no python3 to count with"
[ "$(nproc)" -ge 2 ] || skip "two threads need two processors"
results=${GAINS_RESULTS:-$tmp/results}
mkdir -p "$tmp/programs" "$results"

grep -v '^#' $sources/expected.txt >"$tmp/expected"
if [ $# -gt 0 ]; then
	cp "$tmp/expected" "$tmp/all"
	for program in "$@"; do
		grep "^$program	" "$tmp/all" || fail "no program $program"
	done >"$tmp/expected"
fi
names=$(cut -f 1 "$tmp/expected")

# compile NAME FORM [OPTION...]: as its author would.
compile() {
	source=$sources/$1.c target=$tmp/programs/$1.$2
	shift 2
	gcc -std=gnu11 -D_GNU_SOURCE -O2 -g -fgnu-tm -pthread "$@" -Itests/strangers -o "$target" "$source"
}

# command_of NAME FORM SECONDS THREADS: how it is run. No word of it has a space.
command_of() {
	if [ -f "$sources/$1.c" ]; then
		echo "$tmp/programs/$1.$2 $3 $4"
	else
		echo "$O/bench/$1 --seconds=$3 --threads=$4"
	fi
}

# is_near NS: the processors are as near to each other as then, by a factor of two.
is_near() {
	now=$("$O/tests/helpers/line_transfer")
	[ "$now" -lt $(($1 * 2)) ] && [ "$1" -lt $((now * 2)) ]
}

# while_near NS COMMAND...: again, a few times, if the processors were moved meanwhile. Fails if they always were.
while_near() {
	near=$1
	shift
	for try in 1 2 3 4 5 6 7 8 9 10; do
		if is_near "$near"; then
			"$@"
			! is_near "$near" || return 0
		fi
		sleep 0.5
	done
	return 1
}

# bare WHAT NAME FORM THREADS [COMMAND...]: a line of WHAT and the commits in half a second without the profiler; none if
# the processors were moved.
bare() {
	what=$1
	bare_command=$(command_of "$2" "$3" 0.5 "$4")
	shift 4
	# shellcheck disable=SC2086 # words of a command
	while_near "$line" run_bare "$@" $bare_command || return 0
	sed -n "s/^commits=/$what /p; s/^operations /$what /p" "$tmp/out"
}

run_bare() {
	"$@" >"$tmp/out" || fail "$*: $(cat "$tmp/out")"
}

# pair NAME TURN: both forms side by side, in this order and the other one by turns.
pair() {
	order="faulty fixed"
	[ $(($2 % 2)) -eq 1 ] || order="fixed faulty"
	[ -f "$tmp/programs/$1.fixed" ] || order=faulty
	for form in $order; do
		bare "$form" "$1" "$form" 2
	done
}

# predict PREFIX OPTION...: its answer as JSON; without one a file that ends in .why has what there was instead.
predict() {
	answer=$1
	shift
	# shellcheck disable=SC2154 # shell.inc sets it
	timeout 60 "$stmlog" predict --json "$@" "$tmp/data" >"$answer.json" 2>"$answer.why" ||
		echo "exit status $?" >>"$answer.why"
}

# record_and_predict PREFIX COMMAND OPTION...: the same of a new recording. No answer if the processors were moved.
record_and_predict() {
	answer=$1 recorded=$2
	shift 2
	# shellcheck disable=SC2086 # words of a command
	if while_near "$line" run_recorded $recorded; then
		predict "$answer" "$@"
	else
		echo "the processors were moved in each run" >"$answer.why"
	fi
}

# run_recorded COMMAND...: with the replay behind it, so that the recording says where the processors were.
run_recorded() {
	"$stmlog" record -o "$tmp/data" -- "$@" >"$tmp/out" 2>"$tmp/err" || fail "$*: $(cat "$tmp/out" "$tmp/err")"
}

# measure NAME TURN
measure() {
	result=$results/$1.$2
	line=$("$O/tests/helpers/line_transfer")
	rm -f "$tmp/data"
	record_and_predict "$result.predict" "$(command_of "$1" faulty 1 2)" --seconds=3
	[ ! -f "$tmp/data" ] || "$stmlog" report --json "$tmp/data" >"$result.report.json" || fail "$1: no report"
	{
		pair "$1" "$2"
		bare one-thread "$1" faulty 1
		bare gl_wt "$1" faulty 2 env ITM_DEFAULT_METHOD=gl_wt
		[ -z "$processor" ] || bare one-processor "$1" faulty 2 taskset -c "$processor"
	} >"$result.bare"
	record_and_predict "$result.threads" "$(command_of "$1" faulty 1 1)" --threads=1,2 --seconds=2
}

# The first processor that this script may use; none without taskset.
processor=$(taskset -pc $$ 2>/dev/null | sed 's/.*: *//; s/[^0-9].*//') || processor=
for name in $names; do
	[ -f "$sources/$name.c" ] || continue
	compile "$name" faulty
	compile "$name" fixed -DFIXED
done
for turn in $(seq "$turns"); do
	for name in $names; do
		measure "$name" "$turn"
	done
done
python3 $sources/tally.py "$tmp/expected" "$results"
