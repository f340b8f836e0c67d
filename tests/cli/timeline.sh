#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `record --timeline` keeps each event of programs nobody touched and says exactly what
# it has lost; `check` finds nothing wrong with it.

. "$(dirname "$0")/cli.inc"

# records SECTION FILE: how many there are
records() {
	"$stmlog" info "$2" | awk -v name="$1" '$1 == name { gsub(",", ""); print $4 }'
}

run 0 "$stmlog" record --timeline=1000000,grow -o "$tmp/grow" -- "$O/bench/list" --threads=2 --operations=3000
grep -q 'events missing' "$tmp/err" && fail "events are missing: $(cat "$tmp/err")"
run 0 "$stmlog" check "$tmp/grow"
commits=$("$stmlog" report --json "$tmp/grow" | tr ',{' '\n\n' | sed -n '/"totals"/,$s/.*"commits": *//p' | head -n 1)
[ "$commits" -ge 6000 ] || fail "$commits commits of 6,000 transactions"
[ "$(records events "$tmp/grow")" -ge $((2 * commits + 2)) ] || fail "fewer events than starts and commits"
claim "with room for all of them no event is missing"

run 0 "$stmlog" record --timeline=100 -o "$tmp/ring" -- "$O/bench/bank" --threads=2 --operations=3000
grep -q 'not recorded - events missing: ' "$tmp/err" || fail "does not say what it has lost: $(cat "$tmp/err")"
run 0 "$stmlog" check "$tmp/ring"
[ "$(records events "$tmp/ring")" -le 303 ] || fail "more events than there is room for"
claim "a ring keeps the newest, and says how many it has not kept"

run 0 "$stmlog" record --timeline -o "$tmp/cause" -- "$O/every-cause"
run 0 "$stmlog" check "$tmp/cause"
claim "whatever happens in the small STM fits together"

run 0 "$stmlog" export --format=json -o "$tmp/json" "$tmp/cause"
silent
same "events in JSON" "$(records events "$tmp/cause")" "$(grep -c '"kind"' "$tmp/json")"
run 0 "$stmlog" export --format=text "$tmp/cause"
same "events in text" "$(records events "$tmp/cause")" "$(grep -c '^[0-9]' "$tmp/out")"
run 2 "$stmlog" export --format=json -o "$tmp/no/where" "$tmp/cause"
one_line "cannot be written"
run 2 "$stmlog" export --format=circle "$tmp/cause"
one_line "use json or text"
run 2 "$stmlog" export "$tmp/cause"
one_line "no --format"
record "$tmp/plain" "$O/bench/bank" --threads=2 --operations=300 >/dev/null
run 2 "$stmlog" export --format=json -o "$tmp/none" "$tmp/plain"
one_line "has no timeline"
[ ! -e "$tmp/none" ] || fail "a file was made of nothing"
claim "text and JSON have each event, and what cannot be exported is one line"

for value in 0 x 10,circle ,grow 12345678901; do
	run 2 "$stmlog" record --timeline="$value" -o "$tmp/none" -- touch "$tmp/ran"
	one_line "use a number of events"
done
for other in --sample=4 --passive; do
	run 2 "$stmlog" record --timeline "$other" -o "$tmp/none" -- touch "$tmp/ran"
	one_line "--timeline measures each transaction"
done
[ ! -e "$tmp/ran" ] || fail "the program was run all the same"
claim "nonsense is refused before anything is run"
