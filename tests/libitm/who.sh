#!/bin/sh
# SPDX-License-Identifier: MIT
#
# For whom transactions have waited inside libitm, in programs in which they wait by construction. Nearly all of the time
# of pauses and waits has a culprit, and it is the right one: the function is known. Where only one transaction can have
# been in the way, it is certain. A transaction that prints is shown with its call, one that starved is said to be
# starved.

. "$(dirname "$0")/../helpers/shell.inc"

# profile METHOD OPTIONS PROGRAM ARGUMENT...: leaves the report in $tmp/report, and its pauses and waits in $tmp/waits
profile() {
	ITM_DEFAULT_METHOD=$1 options=$2
	what="$*"
	shift 2
	# shellcheck disable=SC2086
	record "$tmp/data" $options -- "$@" >"$tmp/out"
	"$stmlog" check "$tmp/data" >"$tmp/check" || fail "$what: $(cat "$tmp/check")"
	"$stmlog" report --json "$tmp/data" >"$tmp/report"
	"$O/tests/helpers/entries" "$tmp/report" >"$tmp/entries"
	grep ' \(wait\|pause\) [0-9]* $' "$tmp/entries" >"$tmp/waits" || fail "$what: nothing has waited"
}

# share CONDITION WHOLE: the part of the time of $tmp/waits, in percent
share() {
	awk "$2 { whole += \$13 } $2 && ($1) { part += \$13 } END { printf \"%.0f\\n\", (whole > 0) ? 100 * part / whole : 100 }" \
		"$tmp/waits"
}

# mostly WHAT CONDITION WHOLE: 95 percent of the time
mostly() {
	got=$(share "$2" "$3")
	[ "$got" -ge 95 ] || {
		cat "$tmp/entries"
		fail "$what: $1: $got % of the time"
	}
}

# by FUNCTION WAITERS WORD: for those who wait, by their function, with that word, it is the transaction of FUNCTION. (At
# the start each thread is made known to libitm, and waits for all others, with the word BEGIN_WAIT.)
by() {
	mostly "has a culprit" '$9 != "-"' 1
	mostly "is because of $1" "\$9 == \"$1\"" "\$7 == \"$2\" && \$1 == \"$3\""
}

# certainly FUNCTION WAITERS WORD
certainly() {
	by "$@"
	mostly "is certain" '$3 == $4' "\$7 == \"$2\" && \$1 == \"$3\""
}

readers() {
	profile "$1" "$2" "$O/programs/$level/readers" 2 "$3" 2000
	certainly read_long write_beside COMMIT_WAIT
	profile "$1" "$2" "$O/programs/$level/readers" 3 "$3" 2000
	by read_long write_beside COMMIT_WAIT
}

# calls FUNCTION SOURCE: the call of the other transaction in $tmp/report, which must be on a line of that source with
# that function
calls() {
	i=0 found=
	while word=$(jsonq "$tmp/report" ".entries[$i].detail"); do
		name=$(jsonq "$tmp/report" ".entries[$i].remote.calls.function" || :)
		[ "$word" != BEGIN_WAIT ] || [ -z "$name" ] || found=$i
		i=$((i + 1))
	done
	[ -n "$found" ] || fail "$what: no call is named"
	same "$what: the call" "$1" "$(jsonq "$tmp/report" ".entries[$found].remote.calls.function")"
	line=$(jsonq "$tmp/report" ".entries[$found].remote.calls.line")
	sed -n "${line}p" "tests/programs/$2" | grep -q "$1(" || fail "$what: line $line of $2 does not call $1"
	"$stmlog" report --top=5 "$tmp/data" >"$tmp/text"
	grep -q "^ *calls $1, $2:$line$" "$tmp/text" || fail "$what: the report does not say calls $1, $2:$line"
}

printing() {
	profile "$1" "$2" "$O/programs/$level/printing" 2 "$3" 2000
	certainly print_total count_one BEGIN_WAIT
	calls fprintf printing.c
	profile "$1" "$2" "$O/programs/$level/book" 2 "$3" 2000
	certainly 'Book::print_page(unsigned_int)' 'Book::count_one(unsigned_int)' BEGIN_WAIT
	calls fprintf book.cc
}

# The thread that could not commit runs alone in the end; who waits for it is told so.
starved() {
	profile "$1" "$2" "$O/programs/$level/starved" 2 "$3" 2000
	by read_twice write_between COMMIT_WAIT
	"$stmlog" report --top=100 "$tmp/data" >"$tmp/text"
	grep -A 1 'starved.c:[0-9]*  *read_twice' "$tmp/text" | grep -q '(starved: runs alone after 101 failed attempts)' || {
		cat "$tmp/text"
		fail "$what: the starved transaction is not said to be starved"
	}
}

# Of two that want to become irrevocable one is rolled back, because of the other.
upgrades() {
	profile "$1" "$2" "$O/programs/$level/upgrades" 2 "$3" 2000
	mostly "has a culprit" '$9 != "-"' 1
	awk '$1 == "SERIAL_IRR" { all += $3; if ($9 == "print_together") known += $4 }
		END { print all + 0, known + 0 }' "$tmp/entries" >"$tmp/sums"
	read -r all known <"$tmp/sums"
	[ "$all" -ge $(($3 / 2)) ] || fail "$what: only $all aborts against one that becomes irrevocable"
	[ $((100 * known)) -ge $((90 * all)) ] || fail "$what: $known of $all aborts have a certain culprit"
}

# No transaction is chosen to be measured, and nearly all waits are measured all the same: a begin that finds the serial
# lock held is measured. The lock may be taken behind that look, so not all are certain to be.
rare() {
	rounds=100 us=2000
	profile "$1" --sample=1000000 "$O/programs/$level/printing" 2 $rounds $us
	jsonq "$tmp/report" '.entries[].measured_ns' | paste -d ' ' - "$tmp/entries" |
		awk '$2 == "BEGIN_WAIT" && $8 == "count_one" && $10 == "print_total" { count += $4; ns += $1 }
			END { printf "%.0f %.0f\n", count, ns }' >"$tmp/sums"
	read -r count ns <"$tmp/sums"
	[ "$count" -ge $((rounds * 9 / 10)) ] || fail "$what: only $count waits of $rounds"
	[ "$ns" -ge $((rounds * us * 1000 / 2)) ] || fail "$what: $count waits of only $ns ns, each of $us us or more"
}

for level in O0 O2; do
	rare ml_wt
	for method in ml_wt gl_wt; do
		readers $method --sample=1 30
		printing $method --sample=1 30
		starved $method --sample=1 8
		upgrades $method --sample=1 30
	done
	printing serialirr_onwrite --sample=1 30
	# Of the culprits none is measured, but for one in many.
	printing ml_wt --sample=8 100
	# With these rounds, the probability that no wait for a starved one is measured is below 1 in 1,000.
	starved ml_wt --sample=4 40
done
