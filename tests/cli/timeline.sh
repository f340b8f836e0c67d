#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `stmlog record --timeline` keeps each event of unchanged programs, or says exactly how many are missing. `stmlog
# check` finds no fault in the recording.

. "$(dirname "$0")/cli.inc"

# records SECTION FILE: the number of records in the section
records() {
	"$stmlog" info "$2" | awk -v name="$1" '$1 == name { gsub(",", ""); print $4 }'
}

# total MEMBER FILE: a member of the report's totals
total() {
	"$stmlog" report --json "$2" | tr ',{' '\n\n' | sed -n '/"totals"/,$s/.*"'"$1"'": *//p' | head -n 1
}

run 0 "$stmlog" record --timeline=1000000,grow -o "$tmp/grow" -- "$O/bench/list" --threads=2 --operations=3000
grep -q 'events missing' "$tmp/err" && fail "events are missing: $(cat "$tmp/err")"
run 0 "$stmlog" check "$tmp/grow"
commits=$(total commits "$tmp/grow")
[ "$commits" -ge 6000 ] || fail "$commits commits of 6,000 transactions"
[ "$(records events "$tmp/grow")" -ge $((2 * commits + 2)) ] || fail "fewer events than starts and commits"
claim "with room for all of them no event is missing"

# Each thread has more events than it gets room for at a time.
run 0 "$stmlog" record --timeline=unbounded -o "$tmp/unbounded" -- "$O/bench/bank" --threads=2 --operations=40000
grep -q 'events missing' "$tmp/err" && fail "events are missing: $(cat "$tmp/err")"
run 0 "$stmlog" check "$tmp/unbounded"
events=$(records events "$tmp/unbounded")
[ "$events" -ge 160000 ] || fail "$events events of 80,000 transactions"
bytes=$("$stmlog" report --json "$tmp/unbounded" | tr -d ' \n' | sed -n 's/.*"timeline":{"events":[0-9]*,"bytes":\([0-9]*\)}.*/\1/p')
[ "$bytes" -ge $((32 * events)) ] || fail "'$bytes' bytes of $events events of 32 bytes"
run 0 "$stmlog" report --full "$tmp/unbounded"
grep -q "^timeline: its events took [0-9]* MB of the program's memory\$" "$tmp/out" || fail "no memory: $(cat "$tmp/out")"
claim "rayon-logs, another block: an unbounded one always gets room for more, drops nothing, and says how much memory it took"

(
	ulimit -v 200000
	exec "$stmlog" record --timeline=unbounded -o "$tmp/scarce" -- "$O/bench/bank" --threads=2 --operations=400000
) >"$tmp/out" 2>"$tmp/err" || fail "ended with $?: $(cat "$tmp/err")"
run 0 "$stmlog" report --full "$tmp/scarce"
says 'not recorded - events missing: '
run 0 "$stmlog" check "$tmp/scarce"
claim "without memory for more it keeps the first events and counts the others, and there is a recording"

run 0 "$stmlog" record --timeline=100 -o "$tmp/ring" -- "$O/bench/bank" --threads=2 --operations=3000
run 0 "$stmlog" report --full "$tmp/ring"
says 'not recorded - events missing: '
run 0 "$stmlog" check "$tmp/ring"
[ "$(records events "$tmp/ring")" -le 303 ] || fail "more events than there is room for"
claim "a ring keeps the newest, and says how many it has not kept"

run 0 "$stmlog" record --timeline -o "$tmp/cause" -- "$O/every-cause"
run 0 "$stmlog" check "$tmp/cause"
claim "whatever happens in the small STM fits together"

for program in bench/programs/*.c; do
	name=$(basename "$program" .c)
	run 0 "$stmlog" record --timeline=20000 -o "$tmp/demo" -- "$O/bench/$name" --threads=3 --operations=2000
	run 0 "$stmlog" check "$tmp/demo"
	[ "$(records events "$tmp/demo")" -ge 10000 ] || fail "few events of $name"
done
claim "so does whatever happens in each of the demo programs"

run 0 "$stmlog" record --timeline=1000000 -o "$tmp/whole" -- "$O/bench/bank" --meet=50 --threads=3 --operations=6000
contended "$tmp/whole"
"$stmlog" export --format=text "$tmp/whole" >"$tmp/text"
for kind in commit abort; do
	same "$kind events and the report" "$(total ${kind}s "$tmp/whole")" "$(awk -v kind=$kind '$4 == kind' "$tmp/text" | wc -l)"
done
same "attempts" "$(awk '$4 == "commit" || $4 == "abort"' "$tmp/text" | wc -l)" "$(awk '$4 == "start"' "$tmp/text" | wc -l)"
place=$(sed -n 's/.* start.* place=\([0-9]*\)$/\1/p' "$tmp/text" | sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 }')
grep -A 1 "^place $place\$" "$tmp/text" | grep -q ' transfer .*bank.c:' || fail "attempts do not begin in transfer()"
claim "it has each transaction of the report, at its place"

# Attempts that have ended, those without events included, and what the report has counted.
accounted() {
	without=$("$stmlog" report --json "$1" | tr ',{' '\n\n' | sed -n 's/.*"attempts_without_events": *//p')
	"$stmlog" export --format=text "$1" >"$tmp/text"
	same "$2: attempts with and without events" $(($(total commits "$1") + $(total aborts "$1"))) \
		$(($(awk '$4 == "commit" || $4 == "abort"' "$tmp/text" | wc -l) + without))
}
for option in --sample=8 --sample=auto; do
	run 0 "$stmlog" record --timeline=1000000 $option -o "$tmp/some" -- "$O/bench/bank" --meet=50 --threads=3 --operations=100000
	contended "$tmp/some"
	run 0 "$stmlog" check "$tmp/some"
	accounted "$tmp/some" $option
	[ "$without" -ge 100000 ] || fail "$option: of 300,000 transactions $without attempts only have no events"
	"$stmlog" report --full "$tmp/some" | grep -q 'attempts without events in the timeline' || fail "$option: the report does not say so"
	for format in perfetto json; do
		run 0 "$stmlog" export --format=$format -o "$tmp/export" "$tmp/some"
		grep -aq "$without attempts were not measured\|\"attempts_without_events\": $without," "$tmp/export" ||
			fail "$option: the export as $format does not say that $without attempts have no events"
	done
done
accounted "$tmp/whole" "each transaction"
same "attempts without events where each transaction is measured" 0 "$without"
claim "a timeline of some transactions says how many attempts of the others it lacks"

run 0 "$stmlog" export --format=json -o "$tmp/json" "$tmp/cause"
silent
same "events in JSON" "$(records events "$tmp/cause")" "$(grep -c '"kind":"' "$tmp/json")"
run 0 "$stmlog" export --format=text "$tmp/cause"
same "events in text" "$(records events "$tmp/cause")" "$(grep -c '^[0-9]' "$tmp/out")"
run 2 "$stmlog" export --format=json -o "$tmp/no/where" "$tmp/cause"
one_line "cannot be written"
for format in circle chrome; do
	run 2 "$stmlog" export --format=$format "$tmp/cause"
	one_line "use pprof"
done
run 2 "$stmlog" export "$tmp/cause"
one_line "no --format"
record "$tmp/plain" "$O/bench/bank" --threads=2 --operations=300 >/dev/null
run 2 "$stmlog" export --format=text -o "$tmp/none" "$tmp/plain"
one_line "has no timeline"
[ ! -e "$tmp/none" ] || fail "a file was made of nothing"
claim "text and JSON have each event, and what cannot be exported is one line"

for value in 0 x 10,circle ,grow 12345678901; do
	run 2 "$stmlog" record --timeline="$value" -o "$tmp/none" -- touch "$tmp/ran"
	one_line "use unbounded, or a number of events"
done
[ ! -e "$tmp/ran" ] || fail "the program was run all the same"
claim "nonsense is refused before anything is run"
