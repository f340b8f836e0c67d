#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The lines of reads and writes of TVars in 20 programs are right: the access's own line, a few of which it is one, or none.

. "$(dirname "$0")/ghc.inc"

command -v python3 >/dev/null || skip "there is no python3"

# judged NAME FLAG...: sets $count, $without, $exact and $narrow for the programs compiled with these flags, of which none may
# have wrong lines.
judged() {
	name=$1
	shift
	haskell threaded lines/Main -itests/ghc/programs/lines "$@"
	recorded "$tmp/data" --sample=1 -- "$tmp/lines/Main-threaded" +RTS -N2
	python3 tests/ghc/lines.py tests/ghc/programs/lines "$tmp/printed" "$tmp/report" >"$tmp/judged"
	# shellcheck disable=SC2046
	set -- $(tail -n 1 "$tmp/judged")
	count=$1 without=$3 exact=$4 narrow=$5
	same "$name: wrong lines" "$(sed '$d' "$tmp/judged")" ""
	same "$name: programs" 20 "$6"
	[ "$count" -ge 90 ] || fail "$name: $count accesses have entries"
	"$stmlog" report --top=1000 "$tmp/data" >"$tmp/text"
	same "$name: frames without a name" "" "$(grep '+0x' "$tmp/text")"
	echo "$name: $*"
}

for level in 1 2; do
	judged -O$level -O$level
	[ "$count" -ge 109 ] || fail "-O$level: $count accesses have entries"
	[ $((2 * exact)) -ge "$count" ] || fail "-O$level: of $count accesses, $exact have one line"
	same "-O$level: accesses without lines" 0 "$without"
	is_newer || [ "$narrow" -ge 18 ] || fail "-O$level: in $narrow programs of 20 no access has more than six lines"
done

# Not optimized, the last statement of a transaction leaves no frame: there no line is known.
judged -O0 -O0
[ "$without" -le 10 ] || fail "-O0: $without accesses have no lines"
[ $((2 * exact)) -ge "$count" ] || fail "-O0: of $count accesses, $exact have one line"

for level in 0 1; do
	! is_newer || judged "-O$level -g" -O$level -g
done
