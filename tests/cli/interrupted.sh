#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A timer's handler calls hooks while the program calls hooks of the same handle: tests/helpers/interrupted.c checks all
# sums by itself; here, that the recording and the report have the number of lost calls.
#
# make test-signals runs it for a minute.
# usage: sh tests/cli/interrupted.sh [SECONDS]

. "$(dirname "$0")/cli.inc"

seconds=${1:-2}
each=$(awk "BEGIN { print $seconds / 2 }")

# interrupt OPTIONS
interrupt() {
	STMLOG_OPTIONS=out="$tmp/data:report=$tmp/report:$1" "$O/tests/helpers/interrupted" "$each" >"$tmp/out" ||
		fail "$1: status $?: $(cat "$tmp/out")"
	lost=$(sed -n 's/ calls lost.*//p' "$tmp/out")
	[ "$lost" -gt 0 ] || skip "no handler has interrupted a hook"
	"$stmlog" report --json "$tmp/data" >"$tmp/json"
	same "calls lost" "$lost" "$(jsonq "$tmp/json" .losses.calls_lost)"
}

interrupt paths=off
claim "all sums are right, and each lost call is counted, while a handler calls hooks within hooks"

interrupt paths=on:clock=tsc
claim "so they are with paths, and on the other clock"

printed=$(sed -n 's/.*calls of hooks in signal handlers that had interrupted a hook: \([0-9,]*\).*/\1/p' "$tmp/report")
same "calls lost, in the report" "$lost" "$(printf '%s' "$printed" | tr -d ,)"
claim "the report says how many were lost"
