#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The page of `stmlog report --html` in a headless Chromium (tests/page/page.mjs). There are eight recordings: a program
# with planted faults and a timeline; a sampled program; a timeline that has lost events; names that are made to harm the
# page; a program that lost nothing; one of which a transaction was blocked after a retry; a sort by tasks;
# and a server of four processes. Pages of `stmlog diff --html` compare a program that loses nothing with one that does.
# `make test` fetches the packages for the browser; this test fetches nothing.

. "$(dirname "$0")/cli.inc"

record "$tmp/usual" --timeline=100000 -- "$programs/O2/rows/six_auction" >/dev/null
run 2 "$stmlog" report --html="$tmp/x" --json "$tmp/usual"
one_line "--html and --json at once"
if ! has_page; then
	run 2 "$stmlog" report --html="$tmp/x" "$tmp/usual"
	one_line "run 'make page'"
	run 2 "$stmlog" diff --html="$tmp/x" "$tmp/usual" "$tmp/usual"
	one_line "diff: --html: this stmlog was built without its page; run 'make page'"
	same "stdout" "" "$(cat "$tmp/out")"
	[ ! -e "$tmp/x" ] || fail "a page was begun"
	claim "a command that was built without the page says so"
	skip "no page: its libraries were not fetched by npm (make page-libraries)"
fi

run 0 "$stmlog" report --html=- "$tmp/usual"
one_line "has lines of these sources: "
mv "$tmp/out" "$tmp/page"
run 0 "$stmlog" report --html="$tmp/same.html" "$tmp/usual"
cmp "$tmp/page" "$tmp/same.html" || fail "stdout has another page"
run 2 "$stmlog" report --html="$tmp/none/x" "$tmp/usual"
one_line "$tmp/none/x"
run 2 "$stmlog" report --html="$tmp/x" "$tmp/usual" "$tmp/usual"
one_line "one recording"
run 2 "$stmlog" report --srcdir=. "$tmp/usual"
one_line "--srcdir is for --html"
claim "a page goes to a file or to stdout, and what cannot be written is one line"

run 0 "$stmlog" report --html=- "$tmp/usual"
one_line "six_auction.cc, "
one_line "; --no-source leaves them out"
grep -q 'id="data-sources">\[$' "$tmp/out" || fail "no lines of sources"
run 0 "$stmlog" report --html=- --no-source "$tmp/usual"
silent
grep -q '<script type="application/json" id="data-sources">\[\]<' "$tmp/out" || fail "lines of sources, unwanted"
run 2 "$stmlog" report --no-source "$tmp/usual"
one_line "--no-source is for --html"
claim "the sources of which a page has lines are listed, and left out on request"

# With one thread nothing is lost, and with the meeting point something is.
for i in 1 2 3 4; do
	record "$tmp/alone.$i" --sample=1 -- "$O/bench/bank" --threads=1 --operations=2000 >/dev/null
	record "$tmp/meeting.$i" --sample=1 -- "$O/bench/bank" --meet=50 --threads=2 --operations=2000 >/dev/null
done
run 1 "$stmlog" diff "$tmp"/alone.* -- "$tmp"/meeting.*
cp "$tmp/out" "$tmp/text"
run 1 "$stmlog" diff --html="$tmp/several.html" "$tmp"/alone.* -- "$tmp"/meeting.*
silent
cmp "$tmp/out" "$tmp/text" || fail "the text is another one beside a page"
run 1 "$stmlog" diff --html=- "$tmp"/alone.* -- "$tmp"/meeting.*
silent
cmp "$tmp/out" "$tmp/several.html" || fail "stdout has another page"
run 2 "$stmlog" diff --html="$tmp/none/x" "$tmp"/alone.* -- "$tmp"/meeting.*
one_line "$tmp/none/x"
same "stdout" "" "$(cat "$tmp/out")"
run 2 sh -c "cat $tmp/alone.1 | $stmlog diff --html=$tmp/x - $tmp/meeting.1"
one_line "; --html reads a typical run of each side twice"
[ ! -e "$tmp/x" ] || fail "a page was begun"
claim "a page of a comparison is written beside the text, with the same exit status, or to stdout in its place"

cmp -s tests/page/package-lock.json build/page-tests/fetched || skip "no playwright and axe-core from npm (make page-tests)"
command -v node >/dev/null || skip "no node to drive a browser"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "no Chromium"

record "$tmp/sampled" --sample=4 -- "$O/bench/bank" --threads=3 --meet=50 --operations=20000 >/dev/null
record "$tmp/short" --timeline=2000 -- "$O/bench/bank" --threads=2 --operations=20000 >/dev/null
record "$tmp/hostile" --timeline -- "$O/tests/helpers/hostile"
record "$tmp/nothing" -- "$O/bench/bank" --threads=1 --operations=1000 >/dev/null
record "$tmp/blocked" -- "$O/every-lazy-cause" >/dev/null
STMLOG_OPTIONS="timeline=20000,grow:out=$tmp/tasks:report=none" "$O/tests/helpers/sort_tasks" 100000 200 2 >/dev/null
record "$tmp/processes" -- "$programs/O2/server" 2 20 >/dev/null
mkdir "$tmp/pages"
for name in usual sampled short hostile nothing blocked tasks processes; do
	"$stmlog" report --json "$tmp/$name" >"$tmp/pages/$name.json"
	"$stmlog" report --html="$tmp/pages/$name.html" "$tmp/$name"
done
# compared NAME FILE...: the comparison of the files as page, JSON and text.
compared() {
	name=$1
	shift
	"$stmlog" diff --html="$tmp/pages/$name.html" "$@" >"$tmp/pages/$name.txt" || [ $? = 1 ]
	"$stmlog" diff --json "$@" >"$tmp/pages/$name.json" || [ $? = 1 ]
}
compared several "$tmp"/alone.* -- "$tmp"/meeting.*
compared single "$tmp/alone.1" "$tmp/meeting.1"
compared names "$tmp/hostile" "$tmp/hostile"
BROWSER=$browser MODULES=build/page-tests/node_modules timeout -k 5 900 node tests/page/page.mjs "$tmp/pages" ||
	fail "the page does not hold what it claims"
