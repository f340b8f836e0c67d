#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The callers of a culprit are those that the other thread's own traceback would show: with --paths those of each, and
# where a part of the transactions is measured, those of culprits that were measured themselves.
#
# Not alone: conflicts have a meeting point, or are counted exactly, whenever threads meet.

. "$(dirname "$0")/../helpers/shell.inc"

# functions INDEX SIDE: the functions of the traceback, innermost first, in one line
functions() {
	jsonq "$tmp/report" ".entries[$1].$2.frames[].function" | tr '\n' ' '
}

# In half of the conflicts each of the two ways loses to the other one, by construction (bench/support/meeting.h). There
# are 800.
meetings=800

# profile OPTIONS: leaves the report
profile() {
	# shellcheck disable=SC2086
	MEETINGS=$meetings record "$tmp/data" $1 -- "$programs/O2/callers" 2 3000 >"$tmp/out" 2>"$tmp/err"
	same "$1: stderr" "" "$(cat "$tmp/err")"
	"$stmlog" check "$tmp/data" >/dev/null
	"$stmlog" report --json "$tmp/data" >"$tmp/report"
}

# expect OPTIONS WHICH: in all entries the culprit has written in raise_value(); one that was waited for is shown where it
# began. WHICH culprits have callers: none, some, or all. These came there by the other way than the victim.
expect() {
	profile "$1"
	i=0 count=$(jsonq "$tmp/report" '.entries#')
	known=0 unknown=0
	while [ "$i" -lt "$count" ]; do
		all=$(functions "$i" remote)
		found=$(echo "$all" | sed 's/([a-z]*: [^)]*) //g') # no callers, but frames that the agent adds
		case "$(functions "$i" local)" in
		*come_from_left*) way=come_from_right ;;
		*come_from_right*) way=come_from_left ;;
		*) fail "$1: the victim came by no way: $(functions "$i" local)" ;;
		esac
		write="raise_value transact "
		case "$(jsonq "$tmp/report" ".entries[$i].detail") $all" in *_WAIT* | *"(holder: "*) write="transact " ;; esac
		case "$found" in
		"") ;;
		"$write") unknown=$((unknown + 1)) ;;
		"$write$way body run_one start_thread ") known=$((known + 1)) ;;
		*) fail "$1: the culprit of a transaction that did not $way: $found" ;;
		esac
		i=$((i + 1))
	done
	case $2 in
	none) [ $known = 0 ] && [ $unknown -ge 2 ] ;;
	some) [ $known -ge 1 ] ;;
	all) [ $known -ge 2 ] && [ $unknown = 0 ] ;;
	esac || fail "$1: $2 should have callers; $known have them, $unknown have not"
	echo "$1: $(total "$tmp/report" '.entries[].count') conflicts, culprits with callers: $2"
}

expect --sample=1 none
expect "--sample=1 --paths" all
expect --sample=2 some

# There are no more frames than asked for; they are those nearest to the write.
export STMLOG_OPTIONS=depth=3
profile "--sample=1 --paths"
jsonq "$tmp/report" '.entries[].remote.frames#' | sort -u >"$tmp/depths"
same "frames with depth=3" 3 "$(tail -n 1 "$tmp/depths")"
