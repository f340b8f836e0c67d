#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The programs of GCC's own test suite for libitm end as they do without the profiler: the same output, the same exit
# status. Each program is compiled at -O0 and -O2, and runs with each of libitm's software methods and in each mode of
# `stmlog record`.
#
# On demand (make itm-testsuite SRC=...): some minutes.
# usage: sh tests/long/itm_testsuite.sh SRC [ROUNDS]      SRC: the folder libitm/testsuite of GCC's sources

. "$(dirname "$0")/../cli/cli.inc"

src=${1:?the folder libitm/testsuite of the sources of GCC}
rounds=${2:-1}
[ -d "$src/libitm.c" ] || fail "$src has no folder libitm.c: it is no libitm/testsuite"
methods="ml_wt gl_wt serial serialirr serialirr_onwrite default"
runs=0 differences=0 not_built=0 unsteady=0
ulimit -c 0

# build SOURCE LEVEL: into $tmp/program. The programs that the suite only compiles are left out, and those that it marks
# as not supported.
build() {
	! grep -q 'dg-do compile\|dg-xfail-run-if\|dg-skip-if' "$1" || return 1
	case $1 in *.C) compiler=${CXX:-c++} ;; *) compiler=${CC:-cc} ;; esac
	more=$(sed -n 's/.*dg-\(additional-\)*options "\([^"]*\)".*/\2/p' "$1" | tr '\n' ' ')
	# shellcheck disable=SC2086
	$compiler -fgnu-tm -pthread -w "$2" $more -o "$tmp/program" "$1" 2>"$tmp/built"
}

# outcome FILE METHOD COMMAND...: leaves stdout, the program's stderr and the exit status in FILE. The command's own
# lines on stderr are left out, for example that a program without transactions has no recording.
outcome() {
	to=$1 method=$2
	shift 2
	status=0
	# shellcheck disable=SC2046
	timeout -k 1 60 env $(set_method "$method") "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || status=$?
	{
		cat "$tmp/out"
		sed '/^stmlog: /d; s/^/stderr: /' "$tmp/err"
		echo "status $status"
	} >"$to"
}

# compare WHAT METHOD OPTION...: records the program and compares its outcome with $tmp/bare.
compare() {
	what=$1 method=$2
	shift 2
	runs=$((runs + 1))
	outcome "$tmp/found" "$method" "$stmlog" record -o "$tmp/data" --no-report "$@" -- "$tmp/program"
	rm -f "$tmp"/data*
	cmp -s "$tmp/bare" "$tmp/found" && return
	differences=$((differences + 1))
	echo "different: $what, $method, record $*"
	diff "$tmp/bare" "$tmp/found" | tail -n 20 | sed 's/^/    /'
}

# is_steady METHOD: the program ends in the same way each time, and within the time.
is_steady() {
	outcome "$tmp/bare" "$1" "$tmp/program"
	outcome "$tmp/again" "$1" "$tmp/program"
	cmp -s "$tmp/bare" "$tmp/again" && ! grep -q '^status 1\(24\|37\)$' "$tmp/bare"
}

# try WHAT METHOD
try() {
	if ! is_steady "$2"; then
		unsteady=$((unsteady + 1))
		echo "without the profiler it ends in more than one way: $1, $2"
		return 0
	fi
	compare "$1" "$2"
	compare "$1" "$2" --sample=1
	compare "$1" "$2" --objects
	compare "$1" "$2" --timeline
	compare "$1" "$2" --paths
}

for source in "$src"/libitm.c/*.c "$src"/libitm.c++/*.C; do
	for level in -O0 -O2; do
		if ! build "$source" $level; then
			not_built=$((not_built + 1))
			continue
		fi
		for round in $(seq "$rounds"); do
			for method_wanted in $methods; do
				try "${source##*/} $level, round $round" "$method_wanted"
			done
		done
	done
done
echo "$runs runs recorded, $differences differences; left out: $not_built programs that the suite does not run or that" \
	"cannot be built, $unsteady that end in more than one way"
[ $differences -eq 0 ] && [ $runs -gt 0 ]
