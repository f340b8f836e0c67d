#!/bin/sh
# SPDX-License-Identifier: MIT
#
# In default mode the program's data barriers are the agent's in bursts only, and libitm's own in between; in forked
# children and in modules that are loaded and unloaded meanwhile, too. Where all transactions are measured, they are
# libitm's while only one thread transacts. Culprits that are found are right.

. "$(dirname "$0")/../helpers/shell.inc"

[ -z "${PROGRAMS:-}" ] || skip "a linked agent is called without slots"
slots=$O/programs/O2/slots
compiler=${CC:-cc}
cat >"$tmp/plugin.c" <<'EOF'
void add(unsigned long *sum)
{
	__transaction_atomic
	{
		*sum += 1;
	}
}
EOF
$compiler -std=gnu11 -fgnu-tm -O2 -fPIC -shared -o "$tmp/plugin.so" "$tmp/plugin.c" ||
	skip "$compiler makes no shared object with transactions"

# look OPTION ROUNDS TIMES [alone]: with `alone`, one thread transacts. Leaves in $libitms and $agents how often the
# slots were libitm's, and the agent's.
look() {
	rm -f "$tmp"/data*
	if [ "${4-}" = alone ]; then
		set -- "$1" -- "$slots" 1 "$2" "$3"
	else
		set -- "$1" -- "$slots" 4 "$2" "$3" "$tmp/plugin.so"
	fi
	record "$tmp/data" "$@" >"$tmp/out" 2>&1 || fail "$1: $(cat "$tmp/out")"
	"$stmlog" check "$tmp/data" >"$tmp/check" || fail "$1: $(cat "$tmp/check")"
	"$stmlog" report --json "$tmp/data" >"$tmp/report"
	same "$1: refused calls" "" "$("$stmlog" report "$tmp/data" | grep "caller's mistakes" || true)"
	libitms=$(sed -n "s/^libitm's \([0-9]*\), .*/\1/p" "$tmp/out")
	agents=$(sed -n "s/^libitm's .*, others' \([0-9]*\)$/\1/p" "$tmp/out")
	echo "$1: libitm's $libitms, the agent's $agents"
}

# How long that takes depends on the machine, so there are more rounds until both were seen.
both() {
	for rounds in 200000 500000 1000000 4000000; do
		look --sample=auto $rounds 20
		[ "$libitms" -eq 0 ] || [ "$agents" -eq 0 ] || return 0
	done
	fail "auto: the slots were never both"
}

both
look --sample=1 20000 5
[ "$agents" -gt 0 ] || fail "1: the slots were never the agent's"
look --sample=16 20000 5
same "16: libitm's" 0 "$libitms"

# Slots that the loader has made read-only.
LD_BIND_NOW=1
export LD_BIND_NOW
both
unset LD_BIND_NOW

# A thread that is alone.
for rounds in 200000 1000000 5000000; do
	look --sample=1 $rounds 5 alone
	[ "$libitms" -eq 0 ] || break
done
[ "$libitms" -gt 0 ] || fail "1, one thread: the slots were never libitm's"

# pairs OPTION LEAST ARGUMENT...: disjoint pairs. Who is named is the partner. Of the conflicts over locks at least so
# many in a hundred have a certain one.
pairs() {
	what="pairs $*" option=$1 least=$2
	shift 2
	MEETINGS=2000 record "$tmp/data" "$option" -- "$O/programs/O2/pairs" 4 "$@" >"$tmp/out"
	"$stmlog" check "$tmp/data" >"$tmp/check" || fail "$what: $(cat "$tmp/check")"
	"$stmlog" report --json "$tmp/data" >"$tmp/report"
	"$O/tests/helpers/entries" "$tmp/report" >"$tmp/entries"
	awk -v what="$what" -v least="$least" '
		BEGIN {
			partner["raise_0"] = "raise_1"; partner["raise_1"] = "raise_0"
			partner["raise_2"] = "raise_3"; partner["raise_3"] = "raise_2"
		}
		$9 != "-" && $12 ~ /abort/ && /LOCKED/ && partner[$7] != $9 { print "wrong: " $0; wrong = 1 }
		/LOCKED/ { all += $3; certain += $4 }
		END {
			print what ": " certain " certain of " all
			exit wrong || all < 200 || certain < least / 100 * all
		}' "$tmp/entries" || fail "$what: $(cat "$tmp/entries")"
}

# Transactions that found the serial lock taken between two bursts have no culprit, and those that starve may have none
# since the other one wrote before the burst (late.c).
pairs --sample=auto 70 150000
# Thread 0 is alone long enough for the slots to be libitm's when the others begin.
pairs --sample=1 90 20000 100000
