#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `stmlog record --live`: what it draws of a running program is the report of that moment, and neither the program's
# output nor the terminal suffers. SIGUSR2 prints the first screen meanwhile. The program (tests/programs/held.c) makes its
# transactions and then goes on until its stdin ends: so there is a last snapshot, and the drawing of it.

. "$(dirname "$0")/cli.inc"

unset NO_COLOR COLUMNS
export MEETINGS=50
held=$programs/O2/held
mkfifo "$tmp/in"
screens=$tmp/screens

# find_snapshot: there is a snapshot. $snapshot is its path, $pid its process.
find_snapshot() {
	snapshot=$(find "$tmp" -path "$tmp/data.*/[0-9]*" -type f)
	pid=${snapshot##*/}
	pid=${pid%-*}
	[ -n "$snapshot" ]
}

# is_last_snapshot COMMITS: there is a snapshot that has so many commits.
is_last_snapshot() {
	find_snapshot && "$stmlog" report --json "$snapshot" >"$tmp/json" 2>/dev/null &&
		[ "$(jsonq "$tmp/json" .totals.commits)" = "$1" ]
}

# The width of what is drawn; empty: none is known.
columns=

# reported: the first screen of the snapshot's report, as far as the view has it
reported() {
	COLUMNS=$columns "$stmlog" report "$snapshot" | sed '/^Next: /,$d; /^$/d'
}

# listed: the first line of each entry in that report, as far as the view has it
listed() {
	COLUMNS=$columns "$stmlog" report --by=entry "$snapshot" | sed -n 's/^\( *[0-9]*\.  .*\), longest .*/\1/p'
}

# is_drawn FILE: the last drawing in the file, each begun by a line "live:", is that screen, and below it are the
# costliest entries.
is_drawn() {
	awk '/^live: / { text = ""; is_in = 1; next } is_in && NF { text = text $0 "\n" } END { printf "%s", text }' "$1" >"$tmp/all"
	sed '/^Costliest$/,$d' "$tmp/all" >"$tmp/drawn"
	reported | cmp -s - "$tmp/drawn" || return 1
	sed '1,/^Costliest$/d' "$tmp/all" >"$tmp/entries"
	listed | head -n "$(wc -l <"$tmp/entries")" >"$tmp/listed"
	paste -d '\n' "$tmp/listed" "$tmp/entries" | awk 'NR % 2 { begin = $0; next } index($0, begin "  ") != 1 { exit 1 }'
}

# begin COMMAND...: runs it in the background with stdin held open; $job is its number.
begin() {
	"$@" <"$tmp/in" &
	job=$!
	exec 9>"$tmp/in"
}

# end STATUS: ends the program's stdin and waits for the command.
end() {
	exec 9>&-
	status=0
	wait "$job" || status=$?
	same "exit status" "$1" "$status"
}

# All transactions are measured: of a sample so small, an entry may have too few losses for any figure.
begin "$stmlog" record --live --no-report --sample=1 -o "$tmp/data" -- "$held" 2 3000 5 >"$tmp/out" 2>"$tmp/err"
wait_for is_last_snapshot 6000
wait_for is_drawn "$tmp/err"
grep -q "^live: process $pid goes on after " "$tmp/err" || fail "no line above: $(cat "$tmp/err")"
grep -q '^  1 body  held.c:' "$tmp/drawn" || fail "no row in: $(cat "$tmp/drawn")"
[ -s "$tmp/entries" ] || fail "no entry in: $(cat "$tmp/all")"
! grep -q "$(printf '\033')" "$tmp/err" || fail "an escape byte: $(cat -v "$tmp/err")"
claim "each drawing is a plain block where there is no terminal, and the last one is the report of that moment"

"$stmlog" report --full "$snapshot" >"$tmp/report"
grep -q 'a snapshot: the program went on$' "$tmp/report" || fail "it seems to be over: $(cat "$tmp/report")"
claim "the report of a growing recording says that it goes on"

before=$(wc -l <"$tmp/err")
kill -USR2 "$job"
wait_for grep -qE "^(When it has ended|More): stmlog report $tmp/data --full" "$tmp/err"
tail -n "+$((before + 1))" "$tmp/err" | sed '/^live: /,/^Costliest/d' >"$tmp/dump"
grep -q '^When it has ended: stmlog ' "$tmp/dump" || fail "it seems to be over: $(cat "$tmp/dump")"
grep -q '^  1 body  held.c:' "$tmp/dump" || fail "no row in: $(cat "$tmp/dump")"
! grep '^Threads$\|^account ' "$tmp/dump" || fail "more than the first screen: $(cat "$tmp/dump")"
kill -0 "$job" || fail "it has ended"
end 0
same "what the program prints" 6 "$(wc -l <"$tmp/out")"
claim "SIGUSR2 prints the first screen while the program goes on"

begin "$stmlog" record --no-report -o "$tmp/data" -- "$held" 2 3000 1 >"$tmp/out" 2>"$tmp/err"
wait_for is_last_snapshot 6000
kill -USR2 "$job"
wait_for grep -qE "^(When it has ended|More): stmlog report $tmp/data --full" "$tmp/err"
end 0
claim "without --live, too"

# has_both_sides: the snapshot of hangs.c has the open transaction of each thread, and which is in the other's way.
has_both_sides() {
	find_snapshot && "$stmlog" report --json "$snapshot" >"$tmp/json" 2>/dev/null || return 1
	[ "$(jsonq "$tmp/json" '.open[].begin.function' | sort | tr '\n' ' ')" = "reader waiter " ] &&
		[ "$(jsonq "$tmp/json" '.open[].because.at.function' | grep -v null)" = reader ]
}

begin "$stmlog" record --live --no-report -o "$tmp/data" -- "$programs/O2/hangs" >"$tmp/out" 2>"$tmp/err"
wait_for has_both_sides
# The second snapshot knows that the commit has not moved since the first one.
is_wait_drawn() {
	is_drawn "$tmp/err" && grep -q '^open .*: wait of thread [12], hangs.c:[0-9]* waiter$' "$tmp/drawn"
}
wait_for is_wait_drawn
grep -q '^    because of thread [12], hangs.c:[0-9]* reader (candidate)$' "$tmp/drawn" || fail "no other side in: $(cat "$tmp/drawn")"
first=$(jsonq "$tmp/json" '.open[].open_ns' | head -n 1)
is_longer() {
	has_both_sides && [ "$(jsonq "$tmp/json" '.open[].open_ns' | head -n 1)" -gt "$first" ]
}
wait_for is_longer
end 0
claim "a program that hangs shows how long its transactions are open, and which one is in the way of the other"

# knows_wait WHAT JSON TEXT: the report has the wait under way, its time and its culprit, and no word that denies it.
knows_wait() {
	same "$1: what the wait is for" reader "$(jsonq "$2" '.open[].because.at.function' | grep -v null)"
	open_ns=$(jsonq "$2" '.open[].open_ns' | sort -n | head -n 1)
	waiting_ns=$(jsonq "$2" .totals.waiting_ns)
	[ "$waiting_ns" -ge $((open_ns / 2)) ] || fail "$1: waiting $waiting_ns ns, and open for $open_ns ns"
	! grep 'aborted, paused or waited\|Nothing was lost\|look elsewhere' "$3" || fail "$1: it is denied in: $(cat "$3")"
	grep -q '^    because of thread [123], hangs.c:[0-9]* reader (candidate)$' "$3" || fail "$1: no culprit in: $(cat "$3")"
}

for threads in 2 3; do
	begin "$stmlog" record --no-report -o "$tmp/data" -- "$programs/O2/hangs" $threads >"$tmp/out" 2>"$tmp/err"
	wait_for has_both_sides
	kill -USR2 "$job"
	wait_for grep -q '^When it has ended: ' "$tmp/err"
	has_both_sides || fail "no open transactions after SIGUSR2"
	knows_wait "$threads threads, SIGUSR2" "$tmp/json" "$tmp/err"
	kill -TERM "$pid"
	status=0
	wait "$job" || status=$?
	exec 9>&- # not before: the end of stdin would end the wait
	same "exit status" 143 "$status"
	"$stmlog" report --json "$tmp/data" >"$tmp/json"
	"$stmlog" report "$tmp/data" >"$tmp/text"
	knows_wait "$threads threads, ended by SIGTERM" "$tmp/json" "$tmp/text"
done
claim "a wait under way is lost time with a culprit, in what SIGUSR2 prints and at the end"

needs_terminal
export TERM=xterm
columns=80

# at_terminal ROWS COMMAND: in the background, what the command writes to a terminal of so many rows is in $tmp/seen.
at_terminal() {
	begin sh -c "exec script -qfec 'stty rows $1 columns 80 -echo; $2' '$tmp/seen' </dev/null >/dev/null 2>&1"
}

# drawings FILE: what is between a saved and a restored cursor, each line of the screen as a line
drawings() {
	awk 'BEGIN { RS = "\033[78]" } NR % 2 == 0' "$1" | sed "s/$(printf '\033')\[[0-9]*;1H$(printf '\033')\[K/\\
/g; s/$(printf '\033')\[[0-9;]*[mr]//g"
}

# is_drawn_at_terminal: as is_drawn
is_drawn_at_terminal() {
	drawings "$tmp/seen" >"$screens"
	is_drawn "$screens"
}

view="$stmlog record --live --no-report -o $tmp/data -- $held 2 3000 60 <$tmp/in"
at_terminal 40 "$view"
wait_for is_last_snapshot 6000
wait_for is_drawn_at_terminal
end 0
awk 'BEGIN { RS = "\033[78]" } NR % 2' "$tmp/seen" | tr -d '\r' | grep '^\(.*A\)*line \|^ok' >"$tmp/printed"
same "lines of the program" 61 "$(wc -l <"$tmp/printed")"
sed 's/.*line/line/' "$tmp/printed" | sed '$d' | sort -c -k 2,2n || fail "out of order: $(cat "$tmp/printed")"
claim "on a terminal the same is drawn below the program's own output, all of which stands above"

margins() {
	grep -o "$(printf '\033')\[[0-9;]*r" "$tmp/seen" | tr -d '\033' | tr '\n' ' '
}
same "margins" "[1;12r [r " "$(margins)"
at_terminal 40 "$view"
wait_for is_last_snapshot 6000
kill "$pid"
exec 9>&-
wait "$job" || :
same "margins of a program that was killed" "[1;12r [r " "$(margins)"
claim "afterwards, and when the program is killed, the terminal scrolls as before"

# is_drawn_plainly: as is_drawn, of a terminal without a panel
is_drawn_plainly() {
	tr -d '\r' <"$tmp/seen" | sed "s/$(printf '\033')\[[0-9;]*m//g" >"$screens"
	is_drawn "$screens"
}

for form in "10 $view" "40 TERM=dumb $view"; do
	at_terminal "${form%% *}" "${form#* }"
	wait_for is_last_snapshot 6000
	wait_for is_drawn_plainly
	end 0
	same "margins" "" "$(margins)"
done
claim "a terminal with too few lines, or of the simplest kind, gets plain blocks"

run 2 "$stmlog" record --live --runs=2 -- "$held"
one_line "--live shows one run"
claim "a series is not shown"
