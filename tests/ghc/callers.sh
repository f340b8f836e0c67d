#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A program whose transactions all begin in one helper: the table of transactions tells them apart by their callers, with
# the program's own counts; and in a sample with estimates of them.

. "$(dirname "$0")/ghc.inc"

haskell threaded helper

# found SAMPLE: records; the table is in $tmp/table, without commas and signs.
found() {
	recorded "$tmp/data" --sample="$1" --paths -- "$tmp/helper-threaded" 10000 +RTS -N2
	"$stmlog" report --by=transaction "$tmp/data" >"$tmp/text"
	tr -d ',~' <"$tmp/text" | sed -n '/^begin at/,/^all/p' >"$tmp/table"
}

# row NAME COLUMN: 2 is the commits, 3 the attempts
row() {
	sed 's/^ *from //; s/[^ ]*:[0-9-]* //' "$tmp/table" | awk -v name="$1" -v column="$2" '$1 == name { print $column }'
}

found 1
same "all" "$(cat "$tmp/printed")" "$(row all 2) $(row all 3)"
same "run" "$(cat "$tmp/printed")" "$(row run 2) $(row run 3)"
same "callers" "40000 24000 20000 4000" "$(row deposit 2) $(row logged 2) $(row transfer 2) $(row audit 2)"
same "attempts" "$(row run 3)" "$(($(row deposit 3) + $(row transfer 3) + $(row audit 3)))"
grep -q '^    from .*audit' "$tmp/table" || fail "audit is not below logged: $(cat "$tmp/text")"
same "JSON: commits by way of logged" 24000 "$(jsonq "$tmp/report" '.by_transaction[0].callers[1].commits')"

found 8
same "a sample: all commits" 64000 "$(row all 2)"
same "a sample: all attempts" "$(cat "$tmp/printed")" "64000 $(row all 3)"
near() {
	awk -v is="$2" -v own="$3" 'BEGIN { exit !(is > 0.8 * own && is < 1.25 * own) }' || fail "$1: $2 of $3: $(cat "$tmp/text")"
}
near deposit "$(row deposit 2)" 40000
near logged "$(row logged 2)" 24000
grep -q "from .*deposit  *~ [0-9,]* " "$tmp/text" || fail "an estimate is not marked: $(cat "$tmp/text")"
