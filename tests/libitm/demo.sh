#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The demonstration of the README shows what it says: on the bank, a transfer is the
# costliest place, named with file and line, and so is the one that it lost to.

. "$(dirname "$0")/../helpers/shell.inc"

"$stmlog" record -o "$tmp/data" -- "$O/bench/bank" --threads=2 --seconds=1 >"$tmp/out" 2>"$tmp/text"
"$stmlog" report --json "$tmp/data" >"$tmp/report"

# place WHERE: the line of bank.c, after checking that it is in transfer()
place() {
	same "$1: function" transfer "$(jsonq "$tmp/report" "$1.frames[0].function")"
	case $(jsonq "$tmp/report" "$1.frames[0].file") in
	*bench/programs/bank.c) ;;
	*) fail "$1: file $(jsonq "$tmp/report" "$1.frames[0].file")" ;;
	esac
	line=$(jsonq "$tmp/report" "$1.frames[0].line")
	sed -n "/bool transfer(/,/^}/=" bench/programs/bank.c | grep -qx "$line" || fail "$1: line $line is not in transfer()"
	echo "$line"
}

grep -q '^checksum ok$' "$tmp/out" || fail "the bank's own output: $(cat "$tmp/out")"
local_line=$(place '.entries[0].local') || fail "$local_line"
jsonq "$tmp/report" '.entries[0].local.frames[].function' | grep -qx serve || fail "no caller in the traceback"
grep -q "transfer.*bank\.c:$local_line" "$tmp/text" || fail "the report does not name transfer at line $local_line: $(cat "$tmp/text")"
remote_line=$(place '.entries[0].remote') || fail "$remote_line"
echo "transfer at line $local_line lost most, to transfer at line $remote_line"
