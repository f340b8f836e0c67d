#!/bin/sh
# SPDX-License-Identifier: MIT
#
# In default mode the program's data barriers are the agent's in bursts only, and libitm's own in between; in forked
# children and in modules that are loaded and unloaded meanwhile, too. Culprits that are found are right.

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

# look OPTION ROUNDS TIMES: leaves in $libitms and $agents how often the slots were libitm's, and the agent's
look() {
	rm -f "$tmp"/data*
	record "$tmp/data" "$1" -- "$slots" 4 "$2" "$3" "$tmp/plugin.so" >"$tmp/out" 2>&1 || fail "$1: $(cat "$tmp/out")"
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
same "1: libitm's" 0 "$libitms"
look --sample=16 20000 5
same "16: libitm's" 0 "$libitms"
look --light 20000 5
same "light: the agent's" 0 "$agents"

# Slots that the loader has made read-only.
LD_BIND_NOW=1
export LD_BIND_NOW
both
unset LD_BIND_NOW

# Disjoint pairs: who is named is the partner. Most of the conflicts over locks have a certain one; those of transactions
# that found the serial lock taken between two bursts have none.
MEETINGS=2000 record "$tmp/data" --sample=auto -- "$O/programs/O2/pairs" 4 150000 >"$tmp/out"
"$stmlog" check "$tmp/data" >"$tmp/check" || fail "pairs: $(cat "$tmp/check")"
"$stmlog" report --json "$tmp/data" >"$tmp/report"
"$O/tests/helpers/entries" "$tmp/report" >"$tmp/entries"
awk '
	BEGIN {
		partner["raise_0"] = "raise_1"; partner["raise_1"] = "raise_0"
		partner["raise_2"] = "raise_3"; partner["raise_3"] = "raise_2"
	}
	$9 != "-" && $12 ~ /abort/ && /LOCKED/ && partner[$7] != $9 { print "wrong: " $0; wrong = 1 }
	/LOCKED/ { all += $3; certain += $4 }
	END {
		print "pairs: " certain " certain of " all
		exit wrong || all < 200 || certain < 0.8 * all
	}' "$tmp/entries" || fail "pairs: $(cat "$tmp/entries")"
