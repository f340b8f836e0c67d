#!/bin/sh
# SPDX-License-Identifier: MIT
#
# bench/suite.sh prints a row of figures for each program, or Google Benchmark's JSON with a result for each round,
# which Google Benchmark's compare.py reads. The test does not look at how large the figures are.
#
# Not alone: no time is looked at.

. "$(dirname "$0")/../cli/cli.inc"
[ -n "${STMLOG_BUILT:-}" ] || make -s "$O/bench/micro/clock"

compare=/usr/share/benchmark/compare.py

run 0 sh bench/suite.sh "$O" 1 1
silent
same "head" "bare profiled ratio aborts" "$(head -n 1 "$tmp/out" | xargs)"
sed 1d "$tmp/out" >"$tmp/rows"
! grep -vE '^.{38} +[0-9]+ +[0-9]+ +[0-9]+\.[0-9]{3} +[0-9]+\.[0-9]{4}$' "$tmp/rows" || fail "lines that are no rows"
for name in bank list "hash set" queue index reservation clusters smallstm; do
	grep -q "^${name}[ ,:]" "$tmp/rows" || fail "no row of $name: $(cat "$tmp/rows")"
done
claim "each program has a row of figures"

run 0 sh bench/suite.sh --format=benchmark "$O" 2 1
silent
cp "$tmp/out" "$tmp/json"
# Each row in two forms and two rounds.
same "results" $(($(wc -l <"$tmp/rows") * 4)) "$(jsonq "$tmp/json" '.benchmarks#')"
sed 's/ \{2,\}.*//' "$tmp/rows" | while read -r name; do
	for form in bare profiled; do
		same "rounds of $name/$form" 2 "$(grep -c "\"name\": \"$name/$form\"" "$tmp/json")"
	done
done
! grep 'profiled"' "$tmp/json" | grep -v '"aborts_per_transaction": ' || fail "profiled without aborts"
! grep 'bare"' "$tmp/json" | grep '"aborts_per_transaction": ' || fail "aborts that nobody has counted"
claim "as Google Benchmark's JSON there is a result for each round and form"

if /usr/bin/python3 -B $compare --help >/dev/null 2>&1; then
	run 0 timeout 60 /usr/bin/python3 -B $compare --no-color benchmarks "$tmp/json" "$tmp/json"
	says "queue of 4/profiled"
	run 0 timeout 60 /usr/bin/python3 -B $compare --no-color filters "$tmp/json" bare profiled
	says "bank of 8/[bare vs. profiled]"
	claim "its tool compares two suites, and the two forms"
fi

run 2 sh bench/suite.sh --format=xml "$O" 1 1
same "stderr" "suite.sh: --format=xml: use --format=table or --format=benchmark" "$(cat "$tmp/err")"
mkdir -p "$tmp/broken/bench/micro"
cp "$O/bench/micro/clock" "$tmp/broken/bench/micro"
printf '#!/bin/sh\nexit 1\n' >"$tmp/broken/bench/bank"
chmod +x "$tmp/broken/bench/bank"
run 1 sh bench/suite.sh "$tmp/broken" 1 1
same "stderr" "suite.sh: $tmp/broken/bench/bank --threads=2 --operations=10000 has failed" "$(cat "$tmp/err")"
claim "it ends with one line where a program fails, and where it is told what it does not know"
