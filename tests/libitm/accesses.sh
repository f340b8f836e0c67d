#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The log of accesses: what it has of a transaction are the accesses that the program's source says, in order, whatever
# attempts failed before. The program does what it does without the log.
#
# Not alone: conflicts have a meeting point, and a run in which a thread was not seen in a window is made again, longer.

. "$(dirname "$0")/../cli/cli.inc"

[ -z "${PROGRAMS:-}" ] || skip "a linked agent is called without slots, and logs nothing"

# The transactions of tests/programs/accessed.c at -O0, where the compiler leaves out no barrier. BEGIN! is irrevocable
# from the start. What is irrevocable goes without barriers to what is volatile.
cat >"$tmp/all" <<'END'
BEGIN R from 8 W from 8 R to 8 W to 8 COMMIT
BEGIN R u1 1 W u1 1 R u2 2 W u2 2 R u4 4 W u4 4 R u8 8 W u8 8 R f 4 W f 4 R d 8 W d 8 COMMIT
BEGIN R source 100 W copy 100 COMMIT
BEGIN R outer 8 W outer 8 R inner 8 W inner 8 COMMIT
BEGIN R offered 8 W offered 8 COMMIT
BEGIN W refused 8 CANCEL
BEGIN R before 8 W before 8 R after 8 W after 8 COMMIT
BEGIN R before 8 W before 8 ALONE R after 8 W after 8 COMMIT
BEGIN! COMMIT
BEGIN R asked 8 W asked 8 R called 8 W called 8 R answered 8 W answered 8 COMMIT
BEGIN R asked 8 W asked 8 ALONE R answered 8 W answered 8 COMMIT
END
LC_ALL=C sort -o "$tmp/all" "$tmp/all"

# function_at PROGRAM OUTPUT ADDRESS: the function that has the address in the run that printed OUTPUT
function_at() {
	variable=$(nm "$1" | sed -n 's/ . both$//p') place=$(sed -n '/^place 0 from /{s///p;q}' "$2")
	addr2line -f -e "$1" "$(printf %x $(($3 - place + 0x$variable)))" | sed -n 1p
}

# transactions PROGRAM OUTPUT RECORDING: a line for each form of transactions in the recording, sorted, into $tmp/found.
# Data have the names by which the program has printed where they lie. Left out are transactions that libitm has begun
# again alone, by code without barriers: of move() those that were starved, and those that two threads wanted to make
# irrevocable at a time.
transactions() {
	"$O/tests/helpers/accesses" "$3" >"$tmp/records"
	awk '
		NR == FNR { if ($1 == "place") { name[$4] = $3; whose[$4] = $2 } next }
		$1 == "THREAD" { of = ""; next }
		$1 == "BEGIN" {
			site = $2
			text = int($3 / 64) % 2 ? "BEGIN!" : "BEGIN"
			next
		}
		$1 == "COMMIT" || $1 == "CANCEL" || $1 == "ALONE" {
			text = text " " $1
			if ($1 != "ALONE") forms[text == "BEGIN COMMIT" ? text " " site : text]
			next
		}
		{
			text = text " " $1 " " ($2 in name ? name[$2] : "elsewhere") " " $3
			if (name[$2] == "from" || name[$2] == "to") next
			if (of != "" && of != whose[$2]) print "a thread accesses data of two"
			of = whose[$2]
		}
		END { for (text in forms) print text }' "$2" "$tmp/records" >"$tmp/forms"
	grep -v '^BEGIN COMMIT ' "$tmp/forms" | LC_ALL=C sort >"$tmp/found"
	for site in $(sed -n 's/^BEGIN COMMIT //p' "$tmp/forms"); do
		case $(function_at "$1" "$2" "$site") in
		move | touch_device | call) ;;
		*) echo "BEGIN COMMIT in $(function_at "$1" "$2" "$site")" >>"$tmp/found" ;;
		esac
	done
}

# logs LEVEL ROUNDS [fork]: one run, with its transactions in $tmp/found
logs() {
	rm -f "$tmp"/data*
	MEETINGS=1000 record "$tmp/data" --sample=auto -- "$programs/$1/accessed" 2 "$2" ${3:+"$3"} >"$tmp/program" 2>"$tmp/err" ||
		fail "$*: $(grep -v '^place ' "$tmp/program")"
	grep -q '^ok ' "$tmp/program" || fail "$*: $(grep -v '^place ' "$tmp/program")"
	"$stmlog" check "$tmp/data" >"$tmp/check" || fail "$*: $(cat "$tmp/check")"
	transactions "$programs/$1/accessed" "$tmp/program" "$tmp/data"
}

# only_known FILE WHAT: nothing else was logged than what is in $tmp/all
only_known() {
	LC_ALL=C comm -23 "$1" "$tmp/all" >"$tmp/others"
	same "$2: other transactions" "" "$(cat "$tmp/others")"
}

# logs_all LEVEL [fork]: how soon threads are in a window depends on the machine, so there are more rounds until all was
# seen, and both threads. A kind of barrier is the compiler's choice at -O2: there all that read are R, and all that
# write are W.
logs_all() {
	for rounds in 100000 400000 1600000 6400000; do
		logs "$1" $rounds ${2:+"$2"}
		[ "$1" = O0 ] || sed -i 's/ Ra[RW] / R /g; s/ RfW / R /g; s/ Wa[RW] / W /g' "$tmp/found"
		LC_ALL=C sort -u -o "$tmp/found" "$tmp/found"
		only_known "$tmp/found" "$1"
		LC_ALL=C comm -13 "$tmp/found" "$tmp/all" >"$tmp/missing"
		[ -s "$tmp/missing" ] || [ "$(grep -c '^THREAD' "$tmp/records")" != 2 ] || return 0
	done
	fail "$1: never logged: $(cat "$tmp/missing"); threads: $(grep '^THREAD' "$tmp/records")"
}

logs_all O0
"$stmlog" report --json "$tmp/data" >"$tmp/json"
[ "$(jsonq "$tmp/json" .totals.aborts)" -ge 1000 ] || fail "$(jsonq "$tmp/json" .totals.aborts) aborts"
claim "of each transaction its accesses are logged, in order, and of attempts that failed nothing"

logs_all O2
# The barriers of move(), in the order of its code, and the kinds of its records.
objdump -d --disassemble=move "$programs/O2/accessed" | sed -n 's/.*<_ITM_\([RaWf]*\)U8@plt>.*/\1/p' | tr '\n' ' ' >"$tmp/kinds"
from=$(sed -n 's/^place 0 from //p' "$tmp/program") to=$(sed -n 's/^place 0 to //p' "$tmp/program")
awk -v from="$from" -v to="$to" '$2 == from || $2 == to { kinds = kinds $1 " "; next }
	kinds != "" { print kinds; kinds = "" }' "$tmp/records" | sort -u >"$tmp/logged"
same "kinds of the accesses of move()" "$(cat "$tmp/kinds")" "$(cat "$tmp/logged")"
claim "their kinds are those of the barriers that the compiler has chosen"

awk '$1 == "THREAD" { is_first = 1; threads++; next } is_first && ($1 != "BEGIN" || $4 > -2) { exit 1 }
	{ is_first = 0 } END { if (threads != 2) exit 1 }' "$tmp/records" ||
	fail "not two streams that begin with an unknown time: $(head -n 2 "$tmp/records")"
claim "each thread has a stream, and what it did before its first window is not known"

# ---- other settings ----

# nothing_with OPTION
nothing_with() {
	record "$tmp/data" "$1" -- "$programs/O2/accessed" 2 100000 >"$tmp/program"
	"$O/tests/helpers/accesses" "$tmp/data" >"$tmp/records"
	same "accesses with $1" "" "$(cat "$tmp/records")"
}
nothing_with --sample=1
nothing_with --sample=16
nothing_with --light
claim "where the agent's hooks are called all the time, or never, nothing is logged"

# ---- a child ----

# logs_child: the child was in a window, too
logs_child() {
	for rounds in 100000 400000 1600000; do
		logs O0 $rounds fork
		only_known "$tmp/found" parent
		set -- "$tmp"/data.[0-9]*
		same "recordings of children" 1 $#
		"$stmlog" check "$1" >"$tmp/check" || fail "child: $(cat "$tmp/check")"
		transactions "$programs/O0/accessed" "$tmp/program" "$1"
		[ ! -s "$tmp/found" ] || return 0
	done
	fail "the child has logged nothing"
}
logs_child
same "transactions of the child" "$(grep ' u1 ' "$tmp/all")" "$(cat "$tmp/found")"
same "its threads" 1 "$(grep -c '^THREAD' "$tmp/records")"
claim "a forked child has accesses of its own, and none of its parent's"

# ---- a larger program ----

for operations in 200000 1000000 5000000; do
	record "$tmp/data" -- "$O/bench/bank" --operations=$operations >"$tmp/program"
	grep -qx 'checksum ok' "$tmp/program" || fail "bank: $(cat "$tmp/program")"
	"$stmlog" check "$tmp/data" >"$tmp/check" || fail "bank: $(cat "$tmp/check")"
	"$O/tests/helpers/accesses" "$tmp/data" >"$tmp/records"
	! grep -q '^COMMIT' "$tmp/records" || break
done
grep -q '^COMMIT' "$tmp/records" || fail "bank: nothing was logged"
claim "a bank keeps its money meanwhile"
