#!/bin/sh
# SPDX-License-Identifier: MIT
#
# bench/suite.sh prints a row of figures for each program. The test does not look at how large the figures are.
#
# Not alone: no time is looked at.

. "$(dirname "$0")/../cli/cli.inc"
[ -n "${STMLOG_BUILT:-}" ] || make -s "$O/bench/micro/clock"

make_comma_locale
run 0 env LC_ALL=comma sh bench/suite.sh "$O" 1 1
silent
same "head" "bare profiled ratio aborts" "$(head -n 1 "$tmp/out" | xargs)"
sed 1d "$tmp/out" >"$tmp/rows"
! grep -vE '^.{38} +[0-9]+ +[0-9]+ +[0-9]+\.[0-9]{3} +[0-9]+\.[0-9]{4}$' "$tmp/rows" || fail "lines that are no rows"
for name in bank list "hash set" queue index reservation clusters smallstm; do
	grep -q "^${name}[ ,:]" "$tmp/rows" || fail "no row of $name: $(cat "$tmp/rows")"
done
claim "each program has a row of figures"

mkdir -p "$tmp/broken/bench/micro" "$tmp/broken/tests/helpers"
cp "$O/bench/micro/clock" "$tmp/broken/bench/micro"
cp "$O/tests/helpers/libcounters.so" "$tmp/broken/tests/helpers"
printf '#!/bin/sh\nexit 1\n' >"$tmp/broken/bench/bank"
chmod +x "$tmp/broken/bench/bank"
run 1 sh bench/suite.sh "$tmp/broken" 1 1
same "stderr" "suite.sh: $tmp/broken/bench/bank --threads=2 --operations=10000 has failed" "$(cat "$tmp/err")"
claim "it ends with one line where a program fails"
