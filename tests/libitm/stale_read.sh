#!/bin/sh
# SPDX-License-Identifier: MIT
#
# An attempt that fails at its commit has the place of the read that is out of date, in its transaction.
#
# Not alone: each conflict has a meeting point.

. "$(dirname "$0")/../helpers/shell.inc"

rounds=200
line=$(grep -n 'the read \*/' tests/programs/stale_read.c | cut -d : -f 1)
for level in O0 O2; do
	ITM_DEFAULT_METHOD=ml_wt record "$tmp/data" --sample=1 -- "$O/programs/$level/stale_read" $rounds >/dev/null
	"$stmlog" check "$tmp/data" >"$tmp/check" || fail "$(cat "$tmp/check")"
	"$stmlog" report --json "$tmp/data" >"$tmp/report"
	entry=$(($(jsonq "$tmp/report" '.entries[].detail' | grep -n VALIDATE_COMMIT | head -n 1 | cut -d : -f 1) - 1))
	[ "$entry" -ge 0 ] || fail "$level: no attempt has failed at its commit"
	frame() {
		jsonq "$tmp/report" ".entries[$entry].local.frames[$1].$2"
	}
	same "$level: the read" "look_up $line" "$(frame 0 function) $(frame 0 line)"
	same "$level: its transaction" add_up "$(frame 1 function)"
	same "$level: the caller" work "$(frame 2 function)"
	[ "$(jsonq "$tmp/report" ".entries[$entry].count")" -ge $((rounds * 9 / 10)) ] ||
		fail "$level: fewer than nine of ten rounds: $(jsonq "$tmp/report" ".entries[$entry].count")"
done
