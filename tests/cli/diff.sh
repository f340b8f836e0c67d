#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `stmlog diff`: which arguments it takes, the notes before the figures, and the exit status.

. "$(dirname "$0")/cli.inc"

# runs NAME COUNT COMMAND...: records COUNT runs of the command into $tmp/NAME.1, $tmp/NAME.2 and so on
runs() {
	name=$1 count=$2
	shift 2
	for i in $(seq "$count"); do
		record "$tmp/$name.$i" "$@" >/dev/null
	done
}

runs few 4 -- "$O/every-cause"
runs more 4 -- "$O/every-cause"
runs bank 1 --sample=1 -- "$O/bench/bank" --threads=2 --operations=2000

run 0 "$stmlog" diff --alpha=0.000001 "$tmp"/few.* -- "$tmp"/more.*
silent
same "notes" "" "$(grep '^note' "$tmp/out" || true)"
says "OLD 4 runs, NEW 4 runs: ns lost per transaction"
says " total"
says "cannot decide: 4 and 4 runs can never reach alpha 1e-06; 10 a side are recommended"
run 0 "$stmlog" diff --json --alpha=0.000001 "$tmp"/few.* -- "$tmp"/more.*
jsonq "$tmp/out" '.keys[].local.frames[].function' | grep -qx read_second || fail "no read_second: $(cat "$tmp/out")"
jsonq "$tmp/out" '.keys[].remote.frames[].function' | grep -qx write_first || fail "no write_first: $(cat "$tmp/out")"
claim "runs of one program are compared, by place and partner"

# If both sides are the same samples, nothing has changed, whatever the samples are.
for metric in lost aborts paused rate; do
	run 0 "$stmlog" diff --metric=$metric "$tmp"/few.* -- "$tmp"/few.*
	silent
	same "runs on both sides" 4 "$(grep -c '^note: one run is on both sides' "$tmp/out")"
	same "first line" note "$(head -n 1 "$tmp/out" | cut -d : -f 1)"
	says "no regression"
	run 0 "$stmlog" diff --metric=$metric --json "$tmp"/few.* -- "$tmp"/few.*
	same "notes" 4 "$(jsonq "$tmp/out" '.notes[]' | wc -l)"
	same "p" 1.0 "$(jsonq "$tmp/out" .total.p)"
	same "verdicts" unclear "$(jsonq "$tmp/out" '.keys[].verdict' | sort -u)"
done
claim "each metric finds no difference between runs and themselves, and says that they are the same"

run 0 "$stmlog" diff --alpha=0.000001 "$tmp"/more.* -- "$tmp"/few.*
says "note: the NEW runs were all made before the OLD ones: the sides look swapped"
run 0 "$stmlog" diff --alpha=0.000001 "$tmp"/bank.* -- "$tmp"/few.*
says "note: the programs differ: OLD "
says "note: the runtimes differ: OLD libitm, NEW smallstm"
sed '/^OLD /,$d' "$tmp/out" >"$tmp/notes"
[ "$(grep -vc '^note: ' "$tmp/notes")" = 0 ] || fail "a figure before a note: $(cat "$tmp/out")"
claim "what makes sides incomparable is said first"

for options in "" --json; do
	# shellcheck disable=SC2086
	run 0 "$stmlog" diff $options "$tmp"/few.[123] -- "$tmp"/more.*
	# shellcheck disable=SC2086
	run 3 "$stmlog" diff --strict $options "$tmp"/few.[123] -- "$tmp"/more.*
done
run 3 "$stmlog" diff --strict "$tmp"/few.[123] -- "$tmp"/more.*
says "cannot decide: fewer than 4 runs on a side can never reach alpha 0.05; 10 a side are recommended"
silent
claim "too few runs decide nothing, which is status 3 if that matters"

head -c 600 "$tmp/few.1" >"$tmp/cut"
echo "no recording" >"$tmp/other"
for bad in cut other absent; do
	run 2 "$stmlog" diff "$tmp"/few.* -- "$tmp"/more.* "$tmp/$bad"
	one_line "$tmp/$bad: "
	same "stdout" "" "$(cat "$tmp/out")"
done
claim "a file that is not whole is one line and status 2"

for words in "" "--" "x" "x --" "-- x" "x y"; do
	# shellcheck disable=SC2086
	run 2 "$stmlog" diff $words
	one_line "OLD... -- NEW...; see 'stmlog help diff'"
done
for option in metric=size threshold=-1 threshold=10x threshold= alpha=0 alpha=1 alpha=nan; do
	run 2 "$stmlog" diff --$option x -- y
	one_line "not understood; use "
done
claim "a mistake in the arguments is one line that says what would do"
