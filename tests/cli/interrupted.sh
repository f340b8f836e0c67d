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

# Two functions are behind all hooks for tasks. stmlog_sampled() records nothing, and handlers must not call it.
hooks=$(sed -n 's/^STMLOG_PRIVATE .*[ *]\(stmlog_[a-z_]*\)_on(.*/\1/p' include/stmlog/runtime.h include/stmlog/agent.h include/stmlog/timeline.h)
[ "$(echo "$hooks" | wc -w)" -ge 25 ] || fail "only these hooks were found: $hooks"
for hook in $hooks; do
	case $hook in
	stmlog_task | stmlog_sampled) ;;
	stmlog_task_info) grep -q "[^a-z_]stmlog_task(thread" tests/support/every_hook.c || fail "tests/support/every_hook.c lacks stmlog_task" ;;
	*) grep -q "[^a-z_]$hook(thread" tests/support/every_hook.c || fail "tests/support/every_hook.c lacks $hook" ;;
	esac
done
claim "the handler calls every hook of the headers"

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
