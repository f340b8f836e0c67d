#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Statements of a report under each method: the method, "exact", "aborted" and "certain". They are compared with a
# witness that shares no code with the agent: libitm's own counters.

. "$(dirname "$0")/../helpers/shell.inc"

witness=$PWD/$O/tests/helpers/libcounters.so

# restarts: as libitm has counted them
restarts() {
	tr ' ' '\n' <"$tmp/counters" | awk -F= '{ sum += $2 } END { printf "%.0f\n", sum }'
}

# state METHOD OPTION PROGRAM ARGUMENT...
state() {
	method=$1 option=$2
	shift 2
	what="$method $option $*"
	ITM_DEFAULT_METHOD=$method COUNTERS_OUT=3 LD_PRELOAD=$witness record "$tmp/data" "$option" -- "$@" \
		>"$tmp/out" 3>"$tmp/counters"
	"$stmlog" report --json "$tmp/data" >"$tmp/report"
	"$O/tests/helpers/entries" "$tmp/report" >"$tmp/entries"
	same "$what: method" "$method" "$(jsonq "$tmp/report" .method)"
	same "$what: processors" "$(nproc)" "$(jsonq "$tmp/report" .processors)"
	aborts=$(jsonq "$tmp/report" .totals.aborts)
	if [ "$method" = gl_wt ]; then
		# libitm also counts begin's waits for the one lock, in which no attempt fails.
		[ "$option" = --sample=1 ] && exact=true || exact=false
		[ "$aborts" -le "$(restarts)" ] || fail "$what: $aborts aborts, and libitm has counted $(restarts)"
	elif [ "$method" = htm ]; then
		exact=false
	else
		exact=true
		same "$what: aborted" "$(restarts)" "$aborts"
	fi
	same "$what: exact" $exact "$(jsonq "$tmp/report" .totals.exact)"
	commits=$(jsonq "$tmp/report" .totals.commits)
	same "$what: committed" "$(sed -n 's/^operations //p' "$tmp/out")" "$commits"
	# A certain culprit is never the victim's own thread.
	same "$what: certain of nobody" "" "$(awk '$11 == "certain" && ($9 == "-" || $8 == $10)' "$tmp/entries")"
}

tested() {
	[ "$aborts" -gt 0 ] || fail "$what: nothing was aborted, so nothing is tested"
	echo "$what: $aborts aborts"
}

# If transactions run one after the other, nothing conflicts: the only culprits are readers that a commit waits for, and
# transactions that run alone. With serialirr_onwrite one that wants to run alone aborts if another does already.
for option in --sample=1 --sample=8; do
	state ml_wt "$option" "$O/bench/bank" --meet=100 --threads=2 --operations=30000
	tested
	state gl_wt "$option" "$O/bench/bank" --threads=2 --operations=30000
	state htm "$option" "$O/bench/bank" --threads=2 --operations=30000
	same "$what: aborts" 0 "$aborts"
	in_hardware=$(jsonq "$tmp/report" .hardware.commits)
	same "$what: in hardware or without" "$commits" $((in_hardware + $(jsonq "$tmp/report" .hardware.fallbacks)))
	has_rtm || same "$what: in hardware" 0 "$in_hardware"
	for method in serial serialirr serialirr_onwrite; do
		state "$method" "$option" "$O/bench/bank" --threads=2 --operations=30000
		same "$what: other culprits" "" "$(awk '$9 != "-" && $2 != "inevitable" && $1 != "COMMIT_WAIT"' "$tmp/entries")"
		[ "$method" = serialirr_onwrite ] || same "$what: aborts" 0 "$aborts"
	done
done

# A single thread: by default libitm uses a method for one thread.
env -u ITM_DEFAULT_METHOD "$stmlog" record -o "$tmp/data" --no-report -- "$O/bench/bank" --threads=1 --operations=1000 >/dev/null
"$stmlog" report --json "$tmp/data" >"$tmp/report"
same "one thread: method" serialirr "$(jsonq "$tmp/report" .method)"
env -u ITM_DEFAULT_METHOD "$stmlog" record -o "$tmp/data" --no-report -- "$O/bench/bank" --threads=2 --seconds=0.3 >/dev/null
"$stmlog" report --json "$tmp/data" >"$tmp/report"
if has_rtm; then expected=htm; else expected=ml_wt; fi
same "two threads: method" $expected "$(jsonq "$tmp/report" .method)"
