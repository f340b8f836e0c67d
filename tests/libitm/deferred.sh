#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The program's own work at the end of a commit is no wait: its commit actions, and freeing its memory.

. "$(dirname "$0")/../helpers/shell.inc"

for form in '' $light; do
	for level in O0 O2; do
		# shellcheck disable=SC2086
		ITM_DEFAULT_METHOD=ml_wt record "$tmp/data" --sample=1 $form -- "$programs/$level/deferred" >/dev/null
		"$stmlog" report --json "$tmp/data" >"$tmp/report"
		same "deferred $level $form: commits" 10 "$(jsonq "$tmp/report" .totals.commits)"
		same "deferred $level $form: waits" '' "$(jsonq "$tmp/report" '.entries[].detail' | grep COMMIT_WAIT)"
	done
done
