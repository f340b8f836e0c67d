#!/bin/sh
# SPDX-License-Identifier: MIT
#
# All frames are known of code that is inlined in a lambda, or in a function of a local class: by g++ and clang++.

. "$(dirname "$0")/cli.inc"

# frames WORD: the places of the loss with this word, the innermost first, without their arguments.
frames() {
	awk -v word="$1" '/^ *[0-9]+\. / { is_there = $0 ~ ", " word "( |$)" }
		is_there && /^     (where| ) / { print }
		/^     (blocked|woken)/ { is_there = 0 }' "$tmp/out"
}

# has WORD FUNCTION...: these are among the functions of the loss with the word, in this order.
has() {
	word=$1 pattern=
	shift
	frames "$word" >"$tmp/frames"
	[ -s "$tmp/frames" ] || fail "no loss $word: $(cat "$tmp/out")"
	! grep -q stmlog_ "$tmp/frames" || fail "$compiler $level: a hook is a frame of $word: $(cat "$tmp/frames")"
	for function; do
		pattern="$pattern.* $function"
	done
	tr '\n' ' ' <"$tmp/frames" | grep -q -e "$pattern" || fail "$compiler $level: no $pattern in $word: $(cat "$tmp/frames")"
}

for compiler in g++ clang++; do
	if ! command -v $compiler >/dev/null; then
		echo "without $compiler, which is not there"
		continue
	fi
	debug=-g
	[ $compiler = g++ ] || debug="-g -gdwarf-aranges" # elfutils needs it
	for level in -O1 -O2; do
		"$compiler" $level $debug -Wall -Wextra -Werror -Iinclude -o "$tmp/program" tests/helpers/local_functions.cc \
			"$O/libstmlog.a" -pthread || fail "$compiler $level fails"
		run 0 env STMLOG_OPTIONS=report=none:out="$tmp/data" "$tmp/program"
		run 0 "$stmlog" report --full "$tmp/data"
		has NONE fail transact with_none
		has CLASS fail transact 'with_class()::local_class::run()'
		has LAMBDA fail transact 'with_lambdas(unsigned int)::'
		has INNER fail transact 'with_lambdas(unsigned int)::'
	done
	claim "code in lambdas and in local classes has its frames, built by $compiler"
done
