#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `stmlog diff`: which arguments it takes, the notes before the figures, the formats for CI, and the exit status.

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
says "total: "
says "cannot decide: 4 and 4 runs can never reach alpha 1e-06; 10 a side are"
run 0 "$stmlog" diff --json --alpha=0.000001 "$tmp"/few.* -- "$tmp"/more.*
jsonq "$tmp/out" '.keys[].local.frames[].function' | grep -qx read_second || fail "no read_second: $(cat "$tmp/out")"
jsonq "$tmp/out" '.keys[].remote.frames[].function' | grep -qx write_first || fail "no write_first: $(cat "$tmp/out")"
claim "runs of one program are compared, by place and partner"

run 0 "$stmlog" diff "$tmp/few.1" -- "$tmp/more.1"
cp "$tmp/out" "$tmp/separated"
run 0 "$stmlog" diff "$tmp/few.1" "$tmp/more.1"
silent
same "what differs without --" "" "$(diff "$tmp/separated" "$tmp/out")"
says "OLD 1 run, NEW 1 run: "
claim "two files are one run on each side, with and without --"

# If both sides are the same samples, nothing has changed, whatever the samples are.
for metric in lost aborts paused rate throughput; do
	run 0 "$stmlog" diff --metric=$metric "$tmp"/few.* -- "$tmp"/few.*
	silent
	same "runs on both sides" 4 "$(grep -c '^note: one run is on both sides' "$tmp/out")"
	same "first line" note "$(head -n 1 "$tmp/out" | cut -d : -f 1)"
	says "no regression"
	run 0 "$stmlog" diff --metric=$metric --json "$tmp"/few.* -- "$tmp"/few.*
	same "notes" 4 "$(jsonq "$tmp/out" '.notes[]' | wc -l)"
	same "p" 1.0 "$(jsonq "$tmp/out" .total.p)"
	verdicts=unclear
	[ $metric != throughput ] || verdicts=
	same "verdicts" "$verdicts" "$(jsonq "$tmp/out" '.keys[].verdict' | sort -u)"
done
claim "each metric finds no difference between runs and themselves, and says that they are the same"

run 0 "$stmlog" diff --alpha=0.000001 "$tmp"/more.* -- "$tmp"/few.*
says "note: the NEW runs were all made before the OLD ones: the sides look swapped"
run 0 "$stmlog" diff --alpha=0.000001 "$tmp"/bank.* -- "$tmp"/few.*
says "note: the programs differ: OLD "
says "note: the runtimes differ: OLD libitm, NEW smallstm"
sed '/^total: /,$d' "$tmp/out" >"$tmp/notes"
[ "$(grep -vc -e '^note: ' -e '^    ' "$tmp/notes")" = 0 ] || fail "a figure before a note: $(cat "$tmp/out")"
claim "what makes sides incomparable is said first"

for options in "" --json; do
	# shellcheck disable=SC2086
	run 0 "$stmlog" diff $options "$tmp"/few.[123] -- "$tmp"/more.*
	# shellcheck disable=SC2086
	run 3 "$stmlog" diff --strict $options "$tmp"/few.[123] -- "$tmp"/more.*
done
run 3 "$stmlog" diff --strict "$tmp"/few.[123] -- "$tmp"/more.*
says "cannot decide: fewer than 4 runs on a side can never reach alpha 0.05; 10 a"
silent
claim "too few runs decide nothing, which is status 3 if that matters"

# With one thread nothing is lost, and with the meeting point something is, so the total is worse, whatever the machine.
runs alone 4 --sample=1 -- "$O/bench/bank" --threads=1 --operations=2000
runs meeting 4 --sample=1 -- "$O/bench/bank" --meet=50 --threads=2 --operations=2000
for format in text json markdown; do
	run 1 "$stmlog" diff --strict --format=$format "$tmp"/alone.* -- "$tmp"/meeting.*
	silent
	cp "$tmp/out" "$tmp/worse.$format"
	run 3 "$stmlog" diff --strict --format=$format "$tmp"/alone.[123] -- "$tmp"/meeting.*
	run 0 "$stmlog" diff --format=$format "$tmp"/few.* -- "$tmp"/few.*
	cp "$tmp/out" "$tmp/even.$format"
done
run 1 "$stmlog" diff --json "$tmp"/alone.* -- "$tmp"/meeting.*
cmp "$tmp/out" "$tmp/worse.json" || fail "--json is not --format=json"
same "verdict" worse "$(jsonq "$tmp/worse.json" .total.verdict)"
grep -q '^regression: total: 0 ns -> ' "$tmp/worse.text" || fail "no regression: $(cat "$tmp/worse.text")"
grep -q '^### stmlog diff: [0-9]* regression' "$tmp/worse.markdown" || fail "no heading: $(cat "$tmp/worse.markdown")"
same "heading" "### stmlog diff: no regression" "$(head -n 1 "$tmp/even.markdown")"
claim "each format has the exit status of the text, and --json is --format=json"

for format in text markdown; do
	run 1 "$stmlog" diff --format=$format --top=0 "$tmp"/alone.* -- "$tmp"/meeting.*
	[ "$(grep -c 'blocked by' "$tmp/out" || true)" -le "$(grep -c '^regression: ' "$tmp/out" || true)" ] || fail "keys: $(cat "$tmp/out")"
	run 0 "$stmlog" diff --format=$format "$tmp"/few.* -- "$tmp"/few.*
	[ "$(grep -c 'blocked by' "$tmp/out")" -le 10 ] || fail "more than ten keys: $(cat "$tmp/out")"
	run 0 "$stmlog" diff --format=$format --top=999 "$tmp"/few.* -- "$tmp"/few.*
	same "keys with --top=999" "$(jsonq "$tmp/even.json" '.keys[].reason' | wc -l)" "$(grep -c 'blocked by' "$tmp/out")"
done
[ "$(awk 'length > 80' "$tmp"/*.text | wc -l)" = 0 ] || fail "a line is longer than 80: $(awk 'length > 80' "$tmp"/*.text)"
claim "ten keys are listed unless --top says how many, in lines of 80 columns"

head -c 600 "$tmp/few.1" >"$tmp/cut"
echo "no recording" >"$tmp/other"
for bad in cut other absent; do
	run 2 "$stmlog" diff "$tmp"/few.* -- "$tmp"/more.* "$tmp/$bad"
	one_line "$tmp/$bad: "
	same "stdout" "" "$(cat "$tmp/out")"
done
claim "a file that is not whole is one line and status 2"

for words in "" "--" "x" "x --" "-- x" "x y z"; do
	# shellcheck disable=SC2086
	run 2 "$stmlog" diff $words
	one_line "OLD... -- NEW...; see 'stmlog help diff'"
done
for option in metric=size format=xml top=-1 top=many threshold=-1 threshold=10x threshold= alpha=0 alpha=1 alpha=nan; do
	run 2 "$stmlog" diff --$option x -- y
	one_line "not understood; use "
done
claim "a mistake in the arguments is one line that says what would do"
