#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Each rule by which a report makes findings has a small program with a fault (tests/programs/rules; those in Haskell are
# in tests/ghc/programs/rules, and have a test of their own, tests/ghc/herd.sh). Of the program
# with the fault the finding is among the first three, and without the fault it is not made: in each of RULE_RUNS runs
# of either. RULE=NAME tries that rule only. Where other programs had the processors for more than three quarters of the time,
# threads hardly ever meet, and the report says so: such a run of the fault shows nothing, and the test is skipped.
#
# Alone: findings need conflicts that come by themselves.

. "$(dirname "$0")/cli.inc"

runs=${RULE_RUNS:-2}
failed=
disturbed=

# play RULE FORM COMMAND...: with the method that the rule is about
play() {
	case $1 in
	one-at-a-time | one-lock)
		method=ml_wt # the fault is the method
		[ "$1:$2" != one-at-a-time:with ] || method=serialirr
		[ "$1:$2" != one-lock:with ] || method=gl_wt
		shift 2
		ITM_DEFAULT_METHOD=$method "$@"
		;;
	*)
		shift 2
		"$@"
		;;
	esac
}

# find_rules RULE FORM: leaves the rules of the findings in $tmp/rules, in their order.
find_rules() {
	play "$1" "$2" timeout -k 1 120 "$stmlog" record -o "$tmp/data" --no-report -- "$programs/O2/rules/$1" "$2" >"$tmp/out" 2>&1 ||
		fail "$1 $2: $(cat "$tmp/out")"
	"$stmlog" report --json "$tmp/data" >"$tmp/report"
	jsonq "$tmp/report" '.findings[].rule' | tr -d '"' >"$tmp/rules"
}

# surprise RULE FORM: says what was found instead, with the first screen, from which the reason can be seen
surprise() {
	echo "    $1 $2 the fault, run $run: found $(tr '\n' ' ' <"$tmp/rules")"
	"$stmlog" report "$tmp/data" | sed 's/^/        /'
}

# try RULE: all runs of its program
try() {
	found=0
	excused=0
	silent=0
	for run in $(seq "$runs"); do
		find_rules "$1" with
		if head -n 3 "$tmp/rules" | grep -qx "$1"; then
			found=$((found + 1))
		elif is_disturbed "$tmp/data"; then
			disturbed=$1
			excused=$((excused + 1))
		else
			surprise "$1" with
		fi
		find_rules "$1" without
		if ! grep -qx "$1" "$tmp/rules"; then
			silent=$((silent + 1))
		else
			surprise "$1" without
		fi
	done
	echo "$1: found with the fault in $found of $runs runs, $excused were disturbed; not found without it in $silent of $runs"
	[ "$((found + excused)):$silent" = "$runs:$runs" ] || failed="$failed $1"
}

sed -n 's/^FINDING([A-Z_]*, "\([a-z-]*\)".*/\1/p' report/findings/findings.def | sort >"$tmp/table"
for source in tests/programs/rules/* tests/ghc/programs/rules/*; do
	name=${source##*/}
	echo "${name%.*}"
done | grep -v '^six_' | sort >"$tmp/sources"
same "the rules that have a program" "$(cat "$tmp/table")" "$(cat "$tmp/sources")"
claim "each rule has a program"

while read -r rule; do
	[ "${RULE:-$rule}" != "$rule" ] || [ -e "tests/ghc/programs/rules/$rule.hs" ] || try "$rule"
done <"$tmp/table"
[ -z "$failed" ] || fail "not in all runs:$failed"
[ -z "$disturbed" ] || skip "$disturbed was not found while other programs had the processors for most of the time"
claim "each rule finds the fault that is there, and none that is not"
