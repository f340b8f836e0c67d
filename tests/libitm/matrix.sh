#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A program prints the same with the profiler as without it, nothing on stderr, and ends in the same way: every program
# (C and C++) at -O0 and -O2, with several numbers of threads, each method of libitm and each form of the profiler.
#
# Not alone: the output of a program depends on no other program.

. "$(dirname "$0")/../helpers/shell.inc"

# As `stmlog record` would set it.
STMLOG_LIBITM=$("$stmlog" info --libitm --variable)
export STMLOG_LIBITM

wrong=0
runs=0

# arguments PROGRAM THREADS METHOD
arguments() {
	case ${1##*/} in
	bank | list) echo "--threads=$2 --operations=1000" ;;
	*) short_arguments "${1##*/}" "$2" "$3" ;;
	esac
}

# same_each_time PROGRAM OUTPUT: the lines in their alphabetic order, without the speed that bank and list print.
same_each_time() {
	case ${1##*/} in
	bank | list) grep -vE '^(seconds|cpu_seconds|per_second|refused|inserted|removed|found) ' "$2" | sort ;;
	*) sort "$2" ;;
	esac
}

# run OUTPUT PROGRAM THREADS METHOD [PRELOAD OPTIONS]: leaves stdout, stderr and exit status in OUTPUT.
run() {
	status=0
	# shellcheck disable=SC2046,SC2086
	timeout 60 env $(set_method "$(method_for "${2##*/}" "$4")") ${5:+LD_PRELOAD=$5} ${6:+STMLOG_OPTIONS=$6} "$2" \
		$(arguments "$2" "$3" "$4") >"$tmp/out" 2>"$tmp/err" || status=$?
	{
		same_each_time "$2" "$tmp/out"
		[ ! -s "$tmp/err" ] || sed 's/^/stderr: /' "$tmp/err"
		echo "status $status"
	} >"$1"
}

# compare PROGRAM THREADS METHOD PRELOAD OPTIONS
compare() {
	runs=$((runs + 1))
	run "$tmp/found" "$@"
	cmp -s "$tmp/expected" "$tmp/found" && return
	wrong=$((wrong + 1))
	echo "wrong: ITM_DEFAULT_METHOD=$3 LD_PRELOAD=$4 STMLOG_OPTIONS=$5 $1 $(arguments "$1" "$2" "$3")"
	diff "$tmp/expected" "$tmp/found" | tail -n 20 | sed 's/^/    /'
	[ $wrong -lt 20 ] || fail "20 wrong of $runs, not going on"
}

# methods THREADS: the methods that run transactions concurrently, with each number of threads; the others, and libitm's
# own choice, with two threads.
methods() {
	echo "htm ml_wt gl_wt"
	[ "$1" != 2 ] || echo "serial serialirr serialirr_onwrite default"
}

# is_usual THREADS: with other numbers of threads, the two forms of the profiler that are used most are enough.
is_usual() {
	[ "$1" = 2 ] || [ "$1" = 4 ]
}

# The expected output does not depend on the method; the program without the profiler is compared with it, too.
try_program() {
	for count in $threads; do
		run "$tmp/expected" "$1" "$count" ml_wt
		for method_wanted in $(methods "$count"); do
			compare "$1" "$count" "$method_wanted" "" ""
			compare "$1" "$count" "$method_wanted" "$agent" report=none:sample=1
			compare "$1" "$count" "$method_wanted" "$agent" report=none:sample=auto
			is_usual "$count" || continue
			compare "$1" "$count" "$method_wanted" "$agent" report=none:sample=8
		done
	done
}

# half REMAINDER PROGRAM THREADS...: every second program at both levels of optimisation, and one of bench/ with these
# numbers of threads. In a process of its own.
half() {
	tmp=$tmp/$1
	mkdir "$tmp"
	for program in $(tm_programs | awk -v remainder="$1" 'NR % 2 == remainder'); do
		threads="1 4"
		try_program "$PWD/$O/programs/O0/$program"
		threads="2 8"
		try_program "$PWD/$O/programs/O2/$program"
	done
	threads="$3 $4"
	try_program "$PWD/$O/bench/$2"
	[ $wrong -eq 0 ] || fail "$wrong of $runs runs"
	echo "$runs runs"
}

# Side by side: most of the time goes by while processes start, and no output depends on time.
half 0 bank 1 4 >"$tmp/first" 2>&1 &
first=$!
status=0
(half 1 list 2 8) || status=$?
wait $first || status=$?
cat "$tmp/first"
[ $status -eq 0 ] || fail "see above"
