#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The scopes of stmlog.hpp end what they have begun, also when an exception leaves them; with the library, without a
# profiler, with STMLOG_OFF, and with the header for vendoring; by g++ and clang++.

. "$(dirname "$0")/cli.inc"

unset LD_LIBRARY_PATH STMLOG_LIBRARY

# scopes NAME FLAG...: builds the program.
scopes() {
	name=$1
	shift
	"$compiler" $standard $level -g -pedantic-errors -Wall -Wextra -Wshadow -Werror -Iinclude -I"$O" -o "$tmp/$name" \
		tests/helpers/scopes.cc "$@" -pthread || fail "$compiler $standard $level $* fails"
}

for compiler in g++ clang++; do
	if ! command -v $compiler >/dev/null; then
		echo "without $compiler, which is not there"
		continue
	fi
	for level in -O0 -O2; do
		for standard in -std=c++20 -std=c++11 -std=c++17; do
			scopes on "$O/libstmlog.a"
		done
		run 0 env STMLOG_OPTIONS=timeline=1000:report="$tmp/report":out="$tmp/data" "$tmp/on" profiled
		silent
		run 0 "$stmlog" check "$tmp/data"
		run 0 "$stmlog" report --json "$tmp/data"
		same "commits" 3 "$(jsonq "$tmp/out" .totals.commits)"
		grep -q 'pause, write-write, PAUSED' "$tmp/report" || fail "no pause: $(cat "$tmp/report")"
		grep -q 'user-abort, none, THROWN' "$tmp/report" || fail "no abort: $(cat "$tmp/report")"
		! grep -qi 'mistake\|still open' "$tmp/report" || fail "a mistake: $(cat "$tmp/report")"

		run 0 env STMLOG_OPTIONS=timeline=1000:report=none "$tmp/on" profiled taken
		silent

		scopes off -DSTMLOG_OFF
		run 0 "$tmp/off"
		silent

		scopes vendored -DVENDORED
		run 0 "$tmp/vendored"
		silent
		run 0 env STMLOG_OPTIONS=timeline=1000:report="$tmp/report" STMLOG_LIBRARY="$PWD/$O/libstmlog.so" "$tmp/vendored" profiled taken
		grep -q 'user-abort, none, THROWN' "$tmp/report" || fail "no abort: $(cat "$tmp/report")"
	done
	claim "exceptions leave nothing open, built by $compiler"
done
