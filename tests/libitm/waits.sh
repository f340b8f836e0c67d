#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Waits of transactions inside libitm, in a program that measures them, too. They are reported at the place that waited,
# with their cause, as an estimate; and they are no longer than the program's own times, which begin before and end
# after.
# How much of them is reported depends on the machine, and is printed.

. "$(dirname "$0")/../helpers/shell.inc"

# waits METHOD OPTIONS THREADS ARGUMENT...: leaves what the program prints in $tmp/known, and in $tmp/told lines of
# "WORD REASON CONTENTION ESTIMATED FUNCTION COUNT NANOSECONDS".
waits() {
	method=$1 options=$2
	shift 2
	ITM_DEFAULT_METHOD=$method STMLOG_OPTIONS=$options "$stmlog" record -o "$tmp/data" --no-report --sample=1 -- \
		"$program" "$@" >"$tmp/known"
	"$stmlog" check "$tmp/data" >/dev/null
	"$stmlog" report --json "$tmp/data" >"$tmp/report"
	i=0 all=$(jsonq "$tmp/report" '.entries#')
	while [ "$i" -lt "$all" ]; do
		echo "$(at detail) $(at reason) $(at contention) $(at estimated || echo false)" \
			"$(at 'local.frames[0].function') $(at count) $(at lost_ns)"
		i=$((i + 1))
	done | grep '^[A-Z]*_WAIT ' >"$tmp/told" || :
}

at() {
	jsonq "$tmp/report" ".entries[$i].$1"
}

# sum CONDITION: of reported nanoseconds
sum() {
	awk "$1 { sum += \$7 } END { printf \"%.0f\\n\", sum }" "$tmp/told"
}

# compare KNOWN CONDITION: the time reported for a place, with the program's own time
compare() {
	known=$(awk -v kind="$1" '$1 == kind { print $2 }' "$tmp/known")
	told=$(sum "$2")
	awk -v known="$known" -v told="$told" 'BEGIN { exit !(told <= 1.01 * known) }' ||
		fail "$what: $told ns of $known ns $1"
	shares="$shares $1 $((100 * told / known)) %"
}

# tells METHOD OPTIONS WORD...: each word is reported at the place where it belongs. On a busy machine the thread that
# is to wait may come so late that it need not.
tells() {
	method=$1 options=$2 rounds=5
	shift 2
	what="${program#"$PWD/$O/programs/"} $method $options"
	for try in 1 2 3 4 5; do
		waits "$method" "$options" 3 10 $rounds 1
		rounds=$((2 * rounds)) missing=
		for word in "$@"; do
			grep -q "^$word " "$tmp/told" || missing="$missing $word"
		done
		[ -n "$missing" ] || return 0
	done
	cat "$tmp/told"
	fail "$what: nothing told of$missing"
}

# The compiler gives the commit in commit_beside() the line behind the transaction. It has that of the keyword.
commits_at_keyword() {
	line=$(sed -n '/void commit_beside/,/__transaction/=' tests/programs/waits.c | tail -n 1)
	told=$("$stmlog" report --full --top=100 "$tmp/data" | sed -n 's/.*waits.c:\([0-9]*\) *commit_beside$/\1/p' | sort -u)
	same "$program: line of the commit" "$line" "$told"
}

under_locks() {
	tells ml_wt "$1" 'BEGIN_WAIT wait inevitable true begin_beside' 'UPGRADE_WAIT pause inevitable true become_alone' \
		'COMMIT_WAIT pause write-read true commit_beside'
	commits_at_keyword
	shares=
	compare at_begin '$5 == "begin_beside"'
	compare at_upgrade '$5 == "become_alone"'
	compare at_commit '$5 == "commit_beside"'
	echo "$what: told of what the program knows:$shares"
}

for level in O0 O2; do
	program=$PWD/$O/programs/$level/waits
	under_locks ''
	under_locks counters=off
	tells gl_wt '' 'BEGIN_WAIT wait inevitable true begin_beside' 'UPGRADE_WAIT pause inevitable true become_alone' \
		'COMMIT_WAIT pause write-read true commit_beside'
	tells serialirr '' 'BEGIN_WAIT wait inevitable true begin_beside'
	waits ml_wt '' 1
	same "$program: told where nobody else transacts" '' "$(cat "$tmp/told")"
done
