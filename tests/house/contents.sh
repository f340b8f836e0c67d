#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The contents of each file of notes are its headings: the same numbers and titles in the same order. In the contents a
# title may have more in parentheses than the heading.
# First, copies of the file with one fault each show that check_notes() finds faults.

. "$(dirname "$0")/../helpers/shell.inc"

# contents NOTES: the lines from "1. TITLE" to the first empty line, without what they begin with.
contents() {
	sed -n '/^ *1\. /,/^$/p' "$1" | sed '/^$/,$d; s/^ *//'
}

# headings NOTES: the lines "N. TITLE" that are underlined.
headings() {
	awk '/^-+$/ && length($0) >= length(last) && last ~ /^[0-9]+\. / { print last } { last = $0 }' "$1"
}

# check_notes NOTES: says what is wrong with it.
check_notes() {
	contents "$1" >"$tmp/contents"
	headings "$1" >"$tmp/headings"
	awk -v file="$tmp/headings" '
		function bare(title) { gsub(/ \([^)]*\)/, "", title); return title }
		{
			if ((getline heading <file) <= 0)
				print "no heading: " $0
			else if ($0 != heading && bare($0) != heading)
				print $0 " is headed: " heading
			if ($0 !~ "^" NR "\\. ")
				print "not number " NR ": " $0
		}
		END { while ((getline heading <file) > 0) print "not in the contents: " heading }' "$tmp/contents"
}

# finds WORDS SED-COMMAND: of a copy that the command has changed check_notes() says the words.
finds() {
	sed "$2" NOTES.txt >"$tmp/notes"
	check_notes "$tmp/notes" >"$tmp/said"
	grep -qF -e "$1" "$tmp/said" || fail "'$1' is not in: $(cat "$tmp/said")"
}

last=$(headings NOTES.txt | tail -n 1)
finds "3. Layers is headed: 3. Rooms" 's/^3\. Layers/3. Rooms/'
finds "4. Tracebacks is headed: 3. Layers" '/^  3\. Layers/d'
finds "not in the contents: $last" '/^  3\. Layers/d'
finds "not in the contents: 10. The file, byte by byte" 's/^ 10\. The file, byte by byte/\nA paragraph.\n/'
finds "no heading: $last" "/^$last/d"
finds "not number 4: 5. Tracebacks" 's/^\( *\)4\. Tracebacks/\15. Tracebacks/'

for notes in NOTES.txt runtimes/libitm/NOTES.txt runtimes/ghc/NOTES.txt bench/RESULTS.txt; do
	same "$notes" "" "$(check_notes $notes)"
done
