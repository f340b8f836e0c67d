#!/bin/sh
# SPDX-License-Identifier: MIT
#
# All time by call path: what `record --paths` keeps is the same in the report, in the exports and in the account. And a
# recording without paths is told from one that has none to tell.

. "$(dirname "$0")/cli.inc"

record "$tmp/paths" --paths --sample=1 -- "$O/bench/bank" --meet=50 --threads=2 --operations=30000 >/dev/null
contended "$tmp/paths"
record "$tmp/none" --sample=1 -- "$O/bench/bank" --threads=2 --operations=1000 >/dev/null
"$stmlog" report --json "$tmp/paths" >"$tmp/json"

# account_ns: the sum of the account's rows, in each of which time in transactions is
account_ns() {
	for row in committed aborted paused waiting; do
		jsonq "$tmp/json" ".totals.${row}_ns"
	done | awk '{ sum += $1 } END { printf "%.0f\n", sum }'
}

run 0 "$stmlog" export --format=folded --of=time "$tmp/paths"
silent
same "ns of all folded stacks" "$(account_ns)" "$(awk '{ sum += $NF } END { printf "%.0f\n", sum }' "$tmp/out")"
grep -q ';serve;\(.*;\)\?transfer [0-9]*$' "$tmp/out" || fail "no path: $(cat "$tmp/out")"
claim "folded stacks have all the account's time in transactions"

run 0 "$stmlog" report --by=path "$tmp/paths"
grep -q '^Time by call path: [0-9.]* m\?s in transactions, ' "$tmp/out" || fail "no tree: $(cat "$tmp/out")"
grep -q ' 100\.0 %.* worker_main run\.c:[0-9]*$' "$tmp/out" || fail "the root has not all: $(cat "$tmp/out")"
grep -q '   transfer bank\.c:[0-9]*$' "$tmp/out" || fail "no function below: $(cat "$tmp/out")"
! grep -q 'blocked by' "$tmp/out" || fail "entries: $(cat "$tmp/out")"
claim "report --by=path prints the tree"

run 0 "$stmlog" report --by=transaction "$tmp/paths"
tr -d , <"$tmp/out" | grep -q "^all *$(jsonq "$tmp/json" .totals.commits) " || fail "not all: $(cat "$tmp/out")"
grep -q '^bank\.c:[0-9]* transfer' "$tmp/out" || fail "no transaction: $(cat "$tmp/out")"
claim "report --by=transaction has all commits"

for format in pprof folded; do
	run 2 "$stmlog" export --format=$format --of=time -o "$tmp/file" "$tmp/none"
	one_line "$tmp/none: has no time by call path; 'stmlog record --paths' keeps it"
	[ ! -e "$tmp/file" ] || fail "a file of nothing"
	run 0 "$stmlog" export --format=$format -o "$tmp/file" "$tmp/none"
	silent
	rm "$tmp/file"
done
run 2 "$stmlog" report --by=path "$tmp/none"
one_line "$tmp/none: has no time by call path; 'stmlog record --paths' keeps it"
claim "without paths one line says how to record them"

run 2 "$stmlog" export --format=graph --of=time "$tmp/paths"
one_line "--of is not for --format=graph; leave it out"
run 2 "$stmlog" export --format=pprof --of=nonsense "$tmp/paths"
one_line "--of=nonsense: not understood; use loss or time"
run 2 "$stmlog" report --by=path --sort=count "$tmp/paths"
one_line "--sort is not for --by=path"
run 2 "$stmlog" report --by=path --json "$tmp/paths"
one_line "'stmlog export --format=json' has the paths"
claim "options that do not go together are refused"
