#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The demonstration of the README shows what it says: on the bank, a transfer is the
# costliest place, named with file and line and with its callers; and there are conflicts whose culprit is certain.

. "$(dirname "$0")/../helpers/shell.inc"

# unless_busy WHAT [TEXT]: the test fails; but where other programs had the processors chance decides who conflicts.
unless_busy() {
	! grep -q 'other programs had ' "$tmp/screen" || skip "$1: $(grep -m 1 'other programs had ' "$tmp/screen")"
	fail "$*"
}

# The command that make would run; it must not depend on the environment.
make -sn demo O="$O" | sed -n "s,-o $O/demo.data ,-o '$tmp/data' ,p" >"$tmp/demo"
same "commands of make demo that record" 1 "$(wc -l <"$tmp/demo")"
env -u ITM_DEFAULT_METHOD sh "$tmp/demo" >"$tmp/out" 2>"$tmp/screen"
grep -q 'transfer  bank\.c:' "$tmp/screen" || unless_busy "no transfer on the first screen" "$(cat "$tmp/screen")"
"$stmlog" report --full "$tmp/data" >"$tmp/text"
"$stmlog" report --json "$tmp/data" >"$tmp/report"

# On a busy machine two threads hardly ever run at the same time, and there is nothing to show.
[ "$(jsonq "$tmp/report" '.entries[0].too_few' 2>/dev/null)" = false ] ||
	skip "the two threads hardly met: $(sed -n 's/^lost: //p' "$tmp/text")"
place='.entries[0].local'
function=$(jsonq "$tmp/report" "$place.frames[0].function")
[ "$function" = transfer ] || unless_busy "the costliest place is in $function"
file=$(jsonq "$tmp/report" "$place.frames[0].file")
line=$(jsonq "$tmp/report" "$place.frames[0].line")
case $file in
*bench/programs/bank.c) ;;
*) fail "the place is in file $file" ;;
esac
sed -n "/bool transfer(/,/^}/=" bench/programs/bank.c | grep -qx "$line" || fail "line $line is not in transfer()"
jsonq "$tmp/report" "$place.frames[].function" | grep -qx serve || fail "no caller in the traceback"

grep -q '^checksum ok$' "$tmp/out" || fail "the bank's own output: $(cat "$tmp/out")"
grep -q "bank\.c:$line  *transfer" "$tmp/text" || fail "the report does not name transfer, line $line: $(cat "$tmp/text")"
grep -qE '^     blocked by  thread [12], certain( [0-9.]+ %)?$' "$tmp/text" || unless_busy "no culprit is certain" "$(cat "$tmp/text")"
echo "transfer at line $line lost most"
