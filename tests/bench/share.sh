#!/bin/sh
# SPDX-License-Identifier: MIT
#
# bench/share.sh prints a row of shares for each program and form. The test does not look at how large they are.
#
# Not alone: no time is looked at.

. "$(dirname "$0")/../cli/cli.inc"

make_comma_locale
status=0
LC_ALL=comma sh bench/share.sh "$O" 1 5 >"$tmp/out" 2>"$tmp/err" || status=$?
[ $status != 77 ] || skip "$(cat "$tmp/err")"
same "exit status" 0 $status
silent
awk 'NR > 1 && NF == 6 && $4 $5 $6 ~ /^([0-9]+\.[0-9][0-9])+$/ { print $1, $2, $3 }' "$tmp/out" >"$tmp/rows"
for program in "bank 1" "list 1" "bank 2" "list 2" "reservation 2" "index 2" "clusters 2"; do
	echo "$program --sample=auto"
	echo "$program --sample=1"
done >"$tmp/expected"
cmp "$tmp/expected" "$tmp/rows" || fail "other rows: $(cat "$tmp/out")"
claim "each program has a row of shares for each form"
