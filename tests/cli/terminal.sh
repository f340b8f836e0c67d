#!/bin/sh
# SPDX-License-Identifier: MIT
#
# On a terminal, texts have colours by meaning, and a pager shows texts that do not fit. With NO_COLOR, and in a file or a
# pipe, there is no escape byte.

. "$(dirname "$0")/cli.inc"

needs_terminal
unset NO_COLOR LESS STMLOG_PAGER PAGER
export TERM=xterm
record "$tmp/data" -- "$O/bench/bank" --meet=50 --threads=2 --operations=20000 >"$tmp/out"
contended "$tmp/data"
escape=$(printf '\033')

# at_terminal ROWS COMMAND: what the command writes to a terminal of so many rows, in $tmp/seen.
at_terminal() {
	status=0
	timeout -k 1 30 script -qec "stty rows $1 columns 80; $2" /dev/null </dev/null >"$tmp/seen" 2>&1 || status=$?
	same "exit status of $2" 0 "$status"
}

# plain FILE: without an escape byte.
plain() {
	! grep -q "$escape" "$1" || fail "an escape byte in: $(cat -v "$1")"
}

"$stmlog" report "$tmp/data" >"$tmp/report"
plain "$tmp/report"
"$stmlog" info "$tmp/data" >"$tmp/info"
plain "$tmp/info"
at_terminal 500 "$stmlog report --top=5 $tmp/data"
for colour in '1;31' 33 35 36; do
	grep -q "$escape\[${colour}m" "$tmp/seen" || fail "colour $colour is not in: $(cat -v "$tmp/seen")"
done
tr -d '\r' <"$tmp/seen" | sed "s/$escape\[[0-9;]*m//g" >"$tmp/bare"
plain "$tmp/bare"
for by in site pair object thread cause; do
	at_terminal 500 "$stmlog report --by=$by $tmp/data"
	grep -q "$escape\[1;31m *~* *[0-9][0-9.]* [mun]*s" "$tmp/seen" || fail "--by=$by: what was lost has no colour: $(cat -v "$tmp/seen")"
	at_terminal 500 "env NO_COLOR=1 $stmlog report --by=$by $tmp/data"
	plain "$tmp/seen"
	at_terminal 500 "env STMLOG_PAGER=cat $stmlog report --by=$by --json $tmp/data"
	plain "$tmp/seen"
done
both="$tmp/data $tmp/data $tmp/data $tmp/data -- $tmp/data $tmp/data $tmp/data $tmp/data"
at_terminal 500 "$stmlog diff $both"
grep -q "$escape\[36m.*bank.c" "$tmp/seen" || fail "diff: places have no colour: $(cat -v "$tmp/seen")"
for format in text json markdown; do
	"$stmlog" diff --format=$format $both >"$tmp/diff"
	plain "$tmp/diff"
	at_terminal 500 "env NO_COLOR=1 STMLOG_PAGER=cat $stmlog diff --format=$format $both"
	plain "$tmp/seen"
done
at_terminal 500 "env STMLOG_PAGER=cat $stmlog diff --format=json $both"
plain "$tmp/seen"
for words in "annotate -i $tmp/data" "info $tmp/data" "check $tmp/data" "help terms" "help record" help; do
	at_terminal 500 "env NO_COLOR=1 STMLOG_PAGER=cat $stmlog $words"
	plain "$tmp/seen"
done
claim "a terminal gets colours, in tables and of diff as well, and anything else does not"

for call in "NO_COLOR=1 $stmlog report" "$stmlog report --color=never" "TERM=dumb $stmlog report"; do
	at_terminal 500 "env $call $tmp/data"
	plain "$tmp/seen"
done
"$stmlog" report --color=always "$tmp/data" >"$tmp/always"
sed "s/$escape\[[0-9;]*m//g" "$tmp/always" >"$tmp/bare"
! cmp -s "$tmp/always" "$tmp/report" || fail "--color=always has no colours"
same "what --color=always adds to the text" "" "$(diff "$tmp/bare" "$tmp/report")"
NO_COLOR=1 "$stmlog" report --color=always "$tmp/data" | cmp - "$tmp/always"
run 2 "$stmlog" report --color=red "$tmp/data"
one_line "auto, always or never"
claim "--color and NO_COLOR decide"

# The pager marks each line that it gets.
COLUMNS=80 "$stmlog" report "$tmp/data" >"$tmp/at80"
at_terminal 10 "env STMLOG_PAGER='sed s/^/paged:/' $stmlog report $tmp/data"
same "lines without the pager's mark" 0 "$(grep -vc '^paged:' "$tmp/seen")"
same "lines with a pager" "$(wc -l <"$tmp/at80")" "$(wc -l <"$tmp/seen")"
at_terminal 10 "env PAGER='sed s/^/paged:/' $stmlog report $tmp/data"
grep -q '^paged:' "$tmp/seen" || fail "PAGER is not used"
at_terminal 500 "env PAGER='sed s/^/paged:/' $stmlog report $tmp/data"
! grep -q '^paged:' "$tmp/seen" || fail "a pager for a report that fits"
for pager in cat "" /no/such/pager; do
	at_terminal 10 "env STMLOG_PAGER='$pager' PAGER='sed s/^/paged:/' $stmlog report --color=never $tmp/data 2>/dev/null"
	same "lines with STMLOG_PAGER=$pager" "$(wc -l <"$tmp/at80")" "$(wc -l <"$tmp/seen")"
done
at_terminal 10 "env TERM=dumb PAGER='sed s/^/paged:/' $stmlog report $tmp/data"
! grep -q '^paged:' "$tmp/seen" || fail "a pager for a dumb terminal"
PAGER='sed s/^/paged:/' "$stmlog" report "$tmp/data" | cmp - "$tmp/report" || fail "a pager without a terminal"
# The status is the command's, whatever the pager's is.
at_terminal 10 "env STMLOG_PAGER='head -n 1' $stmlog report $tmp/data"
at_terminal 10 "env STMLOG_PAGER=cat $stmlog report $tmp/none; test \$? = 2"
at_terminal 10 "env STMLOG_PAGER='sed s/^/paged:/' $stmlog report $tmp/data $tmp/none; test \$? = 2"
claim "what does not fit the terminal goes through a pager, nothing else does"
