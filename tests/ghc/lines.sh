#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The lines of reads and writes of TVars in 20 programs are right: the access's own line, or a few of which it is one.

. "$(dirname "$0")/ghc.inc"

command -v python3 >/dev/null || skip "there is no python3"

# judged LEVEL [SOURCES]: sets $count, $right, $exact, $narrow and $programs, for the programs compiled with -O$LEVEL.
judged() {
	haskell threaded lines/Main "-O$1" "-i${2:-tests/ghc/programs/lines}"
	recorded "$tmp/data" --sample=1 -- "$tmp/lines/Main-threaded" +RTS -N2
	python3 tests/ghc/lines.py tests/ghc/programs/lines "$tmp/printed" "$tmp/report" >"$tmp/lines.$1"
	# shellcheck disable=SC2046
	set -- $(tail -n 1 "$tmp/lines.$1")
	count=$1 right=$2 exact=$3 narrow=$4 programs=$5
}

# has_names: the report shows no bare addresses of code.
has_names() {
	"$stmlog" report --top=1000 "$tmp/data" >"$tmp/text"
	same "frames without a name" "" "$(grep '+0x' "$tmp/text")"
}

for level in 1 2; do
	judged $level
	same "-O$level: programs" 20 "$programs"
	[ "$count" -ge 109 ] || fail "-O$level: $count accesses have entries"
	same "-O$level: accesses with lines that are wrong" "$count accesses" "$right accesses$(sed '$d' "$tmp/lines.$level")"
	[ $((2 * exact)) -ge "$count" ] || fail "-O$level: of $count accesses, $exact have one line"
	[ "$narrow" -ge 18 ] || fail "-O$level: in $narrow programs of 20 no access has more than six lines"
	has_names
done

# Not optimized, the last statement of a transaction has no frame: there it is shown where the transaction begins.
judged 0
[ "$count" -ge 90 ] || fail "-O0: $count accesses have entries"
[ $((count - right)) -le 10 ] || fail "-O0: $(cat "$tmp/lines.0")"
[ $((2 * exact)) -ge "$count" ] || fail "-O0: of $count accesses, $exact have one line"
has_names
