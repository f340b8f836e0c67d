#!/bin/sh
# SPDX-License-Identifier: MIT
#
# bench/agent.sh prints a table for each program, with a row of figures for each form of the agent, and ends with one
# line if a program fails. The test does not look at how large the figures are.
#
# Not alone: no time is looked at.

. "$(dirname "$0")/../cli/cli.inc"
[ -n "${STMLOG_BUILT:-}" ] || make -s "$O/bench/micro/clock"

make_comma_locale
run 0 env LC_ALL=comma sh bench/agent.sh "$O" 2 1
silent
# For each program the names of the forms on one line, and any row that is malformed.
awk '
function is_row(   i) {
	for (i = 2; i <= 6; i++)
		if ($i !~ /^-?[0-9]+\.[0-9]+$/)
			return 0
	return NF == 9 && ($7 ~ /^[0-9]+$/ || $7 == "-" && $1 == "bare") && $8 ~ /^[0-9]+$/ && $9 ~ /^[0-9]+\.[0-9]+$/
}
$1 == "==" { printf "%s%s %s:", begun++ ? "\n" : "", $2, $3; next }
$1 == "ns/op" { next }
is_row() { printf " %s", $1; next }
{ printf " [%s]", $0 }
END { print "" }' "$tmp/out" >"$tmp/tables"
! grep -F '[' "$tmp/tables" || fail "lines that are no rows"
for table in "bank --threads=1" "list --threads=1" "bank --threads=2" "list --threads=2" "reservation --threads=2" \
	"index --threads=2" "clusters --threads=2"; do
	grep -q "^$table: bare .*" "$tmp/tables" || fail "no table of $table: $(cat "$tmp/tables")"
done
same "different lists of forms" 1 "$(sed 's/.*: //' "$tmp/tables" | sort -u | wc -l)"
for form in auto exact sampled; do
	grep -q " $form\( \|$\)" "$tmp/tables" || fail "no row of $form"
done
claim "each program has a row of figures for each form"

# A build whose programs do 100 operations each, and are restarted 7 times without the agent, and 5 times with it.
mkdir -p "$tmp/played/bench/micro" "$tmp/played/tests/helpers"
cp "$O/bench/micro/clock" "$tmp/played/bench/micro"
cp "$O/tests/helpers/libcounters.so" "$tmp/played/tests/helpers"
printf 'operations 100\nseconds 1\ncpu_seconds 1\n' >"$tmp/done"
printf '#!/bin/sh\ncat "%s"\necho LOCKED_READ=3 VALIDATE_READ=4 >&3\n' "$tmp/done" >"$tmp/played/bench/bank"
cat >"$tmp/played/stmlog" <<-END
	#!/bin/sh
	[ "\$1" = record ] || echo ' "totals": {"commits": 100, "aborts": 5, '
	[ "\$1" != record ] || cat "$tmp/done"
END
chmod +x "$tmp/played/stmlog" "$tmp/played/bench/bank"
for program in list reservation index clusters; do
	cp "$tmp/played/bench/bank" "$tmp/played/bench/$program"
done
run 0 sh bench/agent.sh "$tmp/played" 2 1
same "aborts without and with the agent, in all and by operation" "auto 5 0.0500 bare 7 0.0700 " \
	"$(awk '$1 == "bare" || $1 == "auto" { print $1, $8, $9 }' "$tmp/out" | sort -u | tr '\n' ' ')"
claim "aborts are counted without the agent, too"

mkdir -p "$tmp/broken/bench/micro" "$tmp/broken/tests/helpers"
cp "$O/bench/micro/clock" "$tmp/broken/bench/micro"
cp "$O/tests/helpers/libcounters.so" "$tmp/broken/tests/helpers"
printf '#!/bin/sh\nexit 1\n' >"$tmp/broken/bench/bank"
chmod +x "$tmp/broken/bench/bank"
run 1 sh bench/agent.sh "$tmp/broken" 2 1
same "stderr" "agent.sh: $tmp/broken/bench/bank --threads=1 --operations=3000 has failed" "$(cat "$tmp/err")"
cp "$O/bench/bank" "$tmp/broken/bench"
printf '#!/bin/sh\nexit 0\n' >"$tmp/broken/stmlog"
chmod +x "$tmp/broken/stmlog"
run 1 sh bench/agent.sh "$tmp/broken" 2 1
same "stderr" "agent.sh: $tmp/broken/bench/bank --threads=1 --operations=3000 has left no recording" "$(cat "$tmp/err")"
claim "it ends with one line where a program fails, and where none was recorded"
