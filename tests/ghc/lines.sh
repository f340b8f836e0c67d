#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The lines of reads and writes of TVars in 20 programs are right: the access's own line, a few of which it is one, or none.
# Each output that has lines shows these few, and not the first of them as if it were known.

. "$(dirname "$0")/ghc.inc"

command -v python3 >/dev/null || skip "there is no python3"

# judged NAME FLAG...: sets $count, $without, $exact and $narrow for the programs compiled with these flags, of which none may
# have wrong lines.
judged() {
	name=$1
	shift
	haskell threaded lines/Main -itests/ghc/programs/lines "$@"
	recorded "$tmp/data" --sample=1 --timeline --paths -- "$tmp/lines/Main-threaded" +RTS -N2
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

# a_range SIDE: sets $file, $first and $last to a range of this side of a conflict, local or remote, whose first line is no
# exact place, of callers neither.
a_range() {
	python3 -c 'import json, sys
report = json.load(sys.stdin)
exact = {(frame["file"], frame["line"]) for entry in report["entries"] for side in ("local", "remote")
         for frame in entry[side]["frames"] if not frame["last_line"]}
for frame in [entry[sys.argv[1]]["frames"][0] for entry in report["entries"]]:
    if frame["file"] and frame["last_line"] and (frame["file"], frame["line"]) not in exact:
        sys.exit(print(frame["file"].split("/")[-1], frame["line"], frame["last_line"]))' "$1" <"$tmp/report" >"$tmp/range"
	read -r file first last <"$tmp/range"
}

# shows_range NAME COMMAND...: the output has the range, and nowhere its first line alone.
shows_range() {
	name=$1
	shift
	"$stmlog" "$@" "$tmp/data" | gzip -dcf >"$tmp/shown" || fail "$name: exit status $?"
	grep -aq "$file:$first-$last" "$tmp/shown" || fail "$name does not have $file:$first-$last"
	! grep -aq "$file:$first\([^-0-9]\|$\)" "$tmp/shown" || fail "$name: $(grep -a "$file:$first\([^-0-9]\|$\)" "$tmp/shown")"
}

# Events of the timeline have the place of their own transaction alone.
outputs_have_ranges() {
	for side in remote local; do
		a_range $side
		shows_range pprof export --format=pprof
		shows_range report report --top=1000
		shows_range diff diff --top=1000 "$tmp/data"
	done
	for format in perfetto text; do
		shows_range $format export --format=$format
	done
	"$stmlog" diff --format=json "$tmp/data" "$tmp/data" >"$tmp/shown"
	grep -A 1 "\"line\": $first," "$tmp/shown" | grep -q "\"last_line\": $last\$" || fail "diff json does not have $first to $last"
	"$stmlog" annotate --top=1000 "$tmp/data" >"$tmp/shown"
	grep -q " $first  (one of the lines $first-$last)" "$tmp/shown" || fail "annotate does not have $first to $last"
	"$stmlog" export --format=folded "$tmp/data" >"$tmp/shown"
	same "folded: lines" "" "$(grep '\.hs' "$tmp/shown")"
}

for level in 0 1 2; do
	judged -O$level -O$level
	[ "$count" -ge 109 ] || fail "-O$level: $count accesses have entries"
	[ $((2 * exact)) -ge "$count" ] || fail "-O$level: of $count accesses, $exact have one line"
	same "-O$level: accesses without lines" 0 "$without"
	{ is_newer && [ $level != 0 ]; } || [ "$narrow" -ge 18 ] || fail "-O$level: in $narrow programs of 20 no access has more than six lines"
	[ $level != 1 ] || outputs_have_ranges
done

for level in 0 1; do
	! is_newer || judged "-O$level -g" -O$level -g
done
