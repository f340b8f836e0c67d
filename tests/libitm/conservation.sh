#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Whatever a program does, `stmlog check` finds nothing wrong with its recording, and the accounts of every thread add
# up to its attached time, to the nanosecond. The same holds for the file of a forked child.
#
# Not alone: counts and sums are exact, whenever threads meet.

. "$(dirname "$0")/../helpers/shell.inc"

files=0

# The members of each thread of which the first is the sum of all others.
set --
for part in attached outside committed aborted paused waiting other descheduled open; do
	set -- "$@" ".threads[].measured.${part}_ns"
done
accounts=$*

# check_file FILE WORDS: no events are missing, and the accounts of each thread add up, as measured.
check_file() {
	"$stmlog" check "$1" >"$tmp/check" 2>&1 || fail "$2: stmlog check: $(cat "$tmp/check")"
	"$stmlog" report --json "$1" >"$tmp/report" || fail "$2: stmlog report"
	same "$2: residual of all, events missing" "0 0" "$(jsonq "$tmp/report" .totals.residual_ns .losses.events_missing)"
	# shellcheck disable=SC2086
	jsonq "$tmp/report" $accounts >"$tmp/accounts"
	[ -s "$tmp/accounts" ] || fail "$2: no accounts"
	same "$2: threads that do not add up" "" "$(awk '$1 != $2 + $3 + $4 + $5 + $6 + $7 + $8 + $9' "$tmp/accounts")"
	files=$((files + 1))
}

# conserve METHOD OPTION NAME PROGRAM ARGUMENT...: check_file() holds for the recording of each process of the program
conserve() {
	method=$(method_for "$3" "$1") option=$2 name=$3
	shift 3
	rm -f "$tmp"/data*
	# shellcheck disable=SC2046
	env $(set_method "$method") "$stmlog" record -o "$tmp/data" --no-report "$option" -- "$@" >/dev/null 2>"$tmp/err" || :
	for file in "$tmp"/data*; do
		[ -e "$file" ] || fail "$name ($method $option): nothing was recorded: $(cat "$tmp/err")"
		check_file "$file" "$name ($method $option, ${file##*/})"
	done
}

# Left out: programs that die by a signal, one without transactions, and one that wants other arguments. And
# before_main with a libitm in the program itself, which may not be ready before main: it crashes without the agent, too.
leaves_no_file() {
	case $1 in
	killed | dies_early | dies_in_loader | idle | tortured) return 0 ;;
	before_main) [ -n "${PROGRAMS:-}" ] ;;
	*) return 1 ;;
	esac
}

for program in $(tm_programs); do
	leaves_no_file "$program" && continue
	for method_wanted in default htm ml_wt gl_wt; do
		# shellcheck disable=SC2046
		conserve "$method_wanted" --sample=1 "$program" "$programs/O2/$program" $(short_arguments "$program" 4 "$method_wanted")
	done
	for option in --sample=auto --sample=8; do
		# shellcheck disable=SC2046
		conserve ml_wt $option "$program" "$programs/O2/$program" $(short_arguments "$program" 4 ml_wt)
	done
done
for option in --sample=1 --sample=auto --sample=8; do
	for method_wanted in default htm ml_wt; do
		conserve "$method_wanted" "$option" bank "$O/bench/bank" --operations=20000
		conserve "$method_wanted" "$option" list "$O/bench/list" --operations=20000
	done
done
echo "$files files"
