#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `stmlog export --format=svg` draws all of a real program's timeline, and an independent XML reader accepts it.

. "$(dirname "$0")/cli.inc"

# picture OPTION...: makes the picture $tmp/svg; nothing is printed
picture() {
	run 0 "$stmlog" export --format=svg "$@" -o "$tmp/svg" "$tmp/data"
	silent
	check_xml "$tmp/svg"
}

# said NAME: the number before this name in the picture's heading
said() {
	grep 'id="sums"' "$tmp/svg" | sed -n "s/.*[ >]\([0-9,]*\) $1.*/\1/p" | tr -d ,
}

# events KIND: the number of events of this kind
events() {
	awk -v kind="$1" '$4 == kind' "$tmp/text" | wc -l
}

# bars: the number of attempts in the bars; one bar may be several attempts on the same pixel
bars() {
	awk '
	/<title>attempt, / { sum++ }
	/^[0-9,]+ (commit|abort|open): / { gsub(",", "", $1); sum += $1 }
	END { print sum + 0 }' "$tmp/svg"
}

run 0 "$stmlog" record --timeline=1000000,grow -o "$tmp/data" -- "$O/bench/bank" --meet=50 --threads=2 --operations=3000
contended "$tmp/data"
run 0 "$stmlog" export --format=text -o "$tmp/text" "$tmp/data"
picture
same "attempts in the heading" "$(events start)" "$(said attempts)"
same "commits in the heading" "$(events commit)" "$(said committed)"
same "aborts in the heading" "$(events abort)" "$(said aborted)"
same "attempts in the bars" "$(events start)" "$(bars)"
[ "$(events start)" -ge 6000 ] || fail "$(events start) starts of 6,000 transactions"
claim "all attempts of a run are in the bars of its picture"

cp "$tmp/svg" "$tmp/first"
picture
cmp "$tmp/svg" "$tmp/first" || fail "another picture of the same recording"
[ -z "$(grep -o ' id="[^"]*"' "$tmp/svg" | sort | uniq -d)" ] || fail "an id is there twice"
grep -q '<script\|href' "$tmp/svg" && fail "more than a picture"
claim "the same recording gives the same picture"

picture --animate=5
grep -q '<animate [^>]* dur="5s"' "$tmp/svg" || fail "nothing moves"
sed 's/<animate [^>]*>//g' "$tmp/svg" | cmp - "$tmp/first" || fail "moving changes what is seen"
picture --width=700 --from=0 --to=0.000000001
grep -q ' viewBox="0 0 700 ' "$tmp/svg" || fail "not as wide as it shall be"
claim "it moves, and shows a part, if that is asked for"

for option in --width=639 --width=100001 --width=x --from=-1 --to=1s --animate=0; do
	run 2 "$stmlog" export --format=svg "$option" -o "$tmp/none" "$tmp/data"
	one_line "not understood; use a number of"
done
run 2 "$stmlog" export --format=svg --from=2 --to=1 -o "$tmp/none" "$tmp/data"
one_line "--to is before --from"
for option in --width=700 --from=1 --to=1 --animate=1; do
	run 2 "$stmlog" export --format=json "$option" -o "$tmp/none" "$tmp/data"
	one_line "are not for --format=json"
done
[ ! -e "$tmp/none" ] || fail "a file was made of nonsense"
claim "nonsense is refused in one line"

run 0 "$stmlog" record --timeline=2000 -o "$tmp/data" -- "$O/bench/bank" --threads=3 --operations=20000
picture
says_late='earlier, events of some threads are missing (--from=0 shows them all)'
grep 'id="sums"' "$tmp/svg" | grep -qF -e "$says_late" || fail "begins where? $(grep 'id="sums"' "$tmp/svg")"
[ "$(bars)" -gt 0 ] || fail "nothing is shown"
shown=$(bars)
picture --from=0
! grep -qF -e "$says_late" "$tmp/svg" || fail "says of all that it is a part"
grep -q 'class="missing"' "$tmp/svg" || fail "the gaps are not shown"
[ "$(bars)" -ge "$shown" ] || fail "less of all than of the end"
claim "it begins where the events of all threads are there"
