#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The program's own work at the end of a commit is no wait: its commit actions, and freeing its memory.

. "$(dirname "$0")/../helpers/shell.inc"

for level in O0 O2; do
	ITM_DEFAULT_METHOD=ml_wt record "$tmp/data" --sample=1 -- "$programs/$level/deferred" >/dev/null
	"$stmlog" report --json "$tmp/data" >"$tmp/report"
	same "deferred $level: commits" 10 "$(jsonq "$tmp/report" .totals.commits)"
	same "deferred $level: waits" '' "$(jsonq "$tmp/report" '.entries[].detail' | grep COMMIT_WAIT)"
done
