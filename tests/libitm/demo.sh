#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The demonstration of the README shows what it says: on the bank, a transfer is the
# costliest place, named with file and line and with its callers.

. "$(dirname "$0")/../helpers/shell.inc"

"$stmlog" record -o "$tmp/data" -- "$O/bench/bank" --threads=2 --seconds=2 >"$tmp/out" 2>"$tmp/text"
"$stmlog" report --json "$tmp/data" >"$tmp/report"

place='.entries[0].local'
same "function" transfer "$(jsonq "$tmp/report" "$place.frames[0].function")"
file=$(jsonq "$tmp/report" "$place.frames[0].file")
line=$(jsonq "$tmp/report" "$place.frames[0].line")
case $file in
*bench/programs/bank.c) ;;
*) fail "the place is in file $file" ;;
esac
sed -n "/bool transfer(/,/^}/=" bench/programs/bank.c | grep -qx "$line" || fail "line $line is not in transfer()"
jsonq "$tmp/report" "$place.frames[].function" | grep -qx serve || fail "no caller in the traceback"

grep -q '^checksum ok$' "$tmp/out" || fail "the bank's own output: $(cat "$tmp/out")"
grep -q "transfer.*bank\.c:$line" "$tmp/text" || fail "the report does not name transfer, line $line: $(cat "$tmp/text")"
echo "transfer at line $line lost most"
