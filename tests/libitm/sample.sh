#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A sampled run: counts of losses are of the measured transactions. The time lost is of all transactions, with an
# interval; one in 16 and one in 64 measured give the same time. sample=auto chooses the interval by itself.

. "$(dirname "$0")/../helpers/shell.inc"

# profile OPTION PROGRAM ARGUMENT...
profile() {
	option=$1
	shift
	record "$tmp/data" "$option" -- "$@" >/dev/null
	"$stmlog" check "$tmp/data" >"$tmp/check" || fail "$option $*: $(cat "$tmp/check")"
	"$stmlog" report --json "$tmp/data" >"$tmp/report"
}

# The interval of the whole time lost.
interval() {
	echo "$(jsonq "$tmp/report" .totals.lost.lost_low_ns) $(jsonq "$tmp/report" .totals.lost.lost_high_ns)"
}

marked() {
	same "$1: exact" false "$(jsonq "$tmp/report" .sample.exact)"
	measured=$(total "$tmp/report" '.causes[].measured_ns')
	lost=$(total "$tmp/report" '.causes[].lost_ns')
	jsonq "$tmp/report" '.causes[].reason' >"$tmp/reasons"
	count=$(jsonq "$tmp/report" '.causes[].count' | paste "$tmp/reasons" - |
		awk '$1 != "pause" && $1 != "wait" { sum += $2 } END { printf "%.0f\n", sum }')
	aborts=$(jsonq "$tmp/report" .totals.aborts)
	[ "$measured" -eq 0 ] || [ "$measured" -lt "$lost" ] || fail "$1: lost $lost ns, of which $measured ns measured"
	[ "$count" -le "$aborts" ] || fail "$1: causes of $count aborts, of $aborts in all"
	"$stmlog" report --full "$tmp/data" >"$tmp/text"
	grep -q '^committed *~ ' "$tmp/text" || fail "$1: the account is not marked: $(cat "$tmp/text")"
	[ "$count" -eq 0 ] || grep -Eq '~ .* \(.* - .*\) .* times measured|^too few to say: ' "$tmp/text" ||
		fail "$1: entries are not marked: $(cat "$tmp/text")"
}

# agree PROGRAM ARGUMENT...: two runs differ by more than their sampling, especially on a busy machine; so it is enough
# if one of several pairs agrees.
agree() {
	for try in 1 2 3 4 5 6; do
		profile --sample=16 "$@"
		marked "16: $*"
		lost_16=$(interval)
		profile --sample=64 "$@"
		marked "64: $*"
		lost_64=$(interval)
		overlap "$lost_16" "$lost_64" && {
			echo "$1: 1 in 16: $lost_16 ns, 1 in 64: $lost_64 ns"
			return 0
		}
	done
	fail "$1: $try pairs, and no two intervals meet; the last: $lost_16, $lost_64"
}

# overlap "LOW HIGH" "LOW HIGH": the intervals overlap, and something was lost
overlap() {
	echo "$1 $2" | awk '{ exit !(NF == 4 && $1 > 0 && $3 > 0 && $1 <= $4 && $3 <= $2) }'
}

agree "$O/bench/bank" --threads=4 --seconds=1
agree "$O/bench/list" --threads=4 --size=2 --updates=100 --seconds=1

# Of short transactions not all are measured. How many is not checked, since that depends on the speed.
profile --sample=auto "$O/bench/bank" --threads=2 --seconds=0.5
marked "auto"
every=$(jsonq "$tmp/report" .sample.every)
[ "$every" -gt 1 ] || fail "auto: each of the bank's transactions was measured"
[ $((every & (every - 1))) -eq 0 ] || fail "auto: 1 in $every"

# The same without any option.
record "$tmp/data" -- "$O/bench/bank" --threads=2 --seconds=0.5 >/dev/null
"$stmlog" report --json "$tmp/data" >"$tmp/report"
marked "default"

# However busy the machine is, in two seconds there is a phase of either kind, and aborts to compare.
profile --sample=16 "$O/bench/bank" --meet=50 --threads=2 --seconds=2
[ "$(jsonq "$tmp/report" .totals.aborts)" -ge 50 ] || fail "two threads were to meet 50 times"
for phase in on off; do
	phases=$(jsonq "$tmp/report" ".probe.phases_$phase")
	[ "$phases" -ge 1 ] || fail "no phase $phase"
done

# If all are measured the report is exact, and the observer effect is not known.
profile --sample=1 "$O/bench/bank" --threads=2 --seconds=0.5
same "exact" true "$(jsonq "$tmp/report" .sample.exact)"
same "observer effect of an exact run" null "$(jsonq "$tmp/report" .probe.observer_effect)"
same "lost and measured" "$(total "$tmp/report" '.entries[].measured_ns')" "$(total "$tmp/report" '.entries[].lost_ns')"
"$stmlog" report --full "$tmp/data" >"$tmp/text"
grep -q 'not known, since each' "$tmp/text" || fail "it is not said why the observer effect is not known"
