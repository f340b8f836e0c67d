#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Commits are counted exactly: the source of each program shows how many transactions it commits. So are those of
# sampled runs if libitm's own counters can be read, since then only times are sampled.
#
# Not alone: counts and sums are exact, whenever threads meet.

. "$(dirname "$0")/../helpers/shell.inc"

# commits PROGRAM THREADS: the number of commits, by the program's source
commits() {
	case $1 in
	allocate | counters | reader_writer) echo $((1000 * $2)) ;;
	cancel | exceptions) echo $((600 * $2)) ;;
	deep) echo $((200 * $2 + 1)) ;;
	nested) echo $((500 * $2)) ;;
	relaxed) echo $((60 * $2)) ;;
	self_assign) echo $((40 * $2)) ;;
	short_lived) echo $((50 * $2 + 1)) ;;
	signals) echo $((3000 * $2 + 1)) ;;
	templates) echo $((1800 * $2)) ;;
	thread_exit) echo $((20 * (($2 + 1) / 2 * 2 + $2 / 2) + 1)) ;;
	*) fail "no number of commits is known for $1" ;;
	esac
}

# count PROGRAM THREADS METHOD OPTION
count() {
	ITM_DEFAULT_METHOD=$3 record "$tmp/data" "$4" -- "$programs/O2/$1" "$2" >/dev/null
	"$stmlog" report --json "$tmp/data" >"$tmp/report"
	same "$1 $2 ($3 $4): commits" "$(commits "$1" "$2")" "$(jsonq "$tmp/report" .totals.commits)"
	same "$1 $2 ($3 $4): sum over the threads" "$(commits "$1" "$2")" "$(total "$tmp/report" '.threads[].commits')"
}

for program in allocate cancel counters deep exceptions nested reader_writer relaxed self_assign \
	short_lived signals templates thread_exit; do
	count "$program" 1 ml_wt --sample=1
	count "$program" 4 ml_wt --sample=1
	count "$program" 4 ml_wt --sample=8
	count "$program" 4 ml_wt --sample=auto
	count "$program" 4 gl_wt --sample=1
	count "$program" 4 serialirr_onwrite --sample=8
	count "$program" 1 htm --sample=1
	count "$program" 4 htm --sample=1
	count "$program" 4 htm --sample=8
done
