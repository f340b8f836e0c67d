#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Each citation of the design notes, in the notes themselves and in all sources, names a section or claim that is there.
# First, a made-up tree shows that citations.py reports each kind of fault, and no citation that is right.

. "$(dirname "$0")/house.inc"

mkdir -p "$tmp/tree/room"
python=$PWD/tests/house/citations.py
printf '1. Words\n--------\n\n2. Trails\n---------\n X1  It holds.\n X2  So does this.\n' >"$tmp/tree/NOTES.txt"

# finds STATUS WORDS COMMENT: citations.py says the words of a tree with this comment.
finds() {
	printf '/* %b */\n' "$3" >"$tmp/tree/room/source.c"
	wants "$1" "$2" sh -c "cd '$tmp/tree' && python3 '$python' NOTES.txt"
}

finds 0 "4 citations of notes: 0 faults" 'NOTES.txt, section 2; NOTES.txt, "Trails", claims X1 to X2; and claim X2.'
finds 0 " 0 faults" 'NOTES.txt,\n * "Trails", and a section 7 of something else.'
finds 1 "room/source.c: NOTES.txt has no section 3" 'NOTES.txt, section 3'
finds 1 "room/source.c: NOTES.txt has no Letters" 'NOTES.txt,\n * "Letters"'
finds 1 "room/source.c: no notes room/NOTES.txt" 'room/NOTES.txt, "Trails"'
finds 1 "room/source.c: no claim X3" 'claims X1\n * to X3'
finds 1 "room/source.c: no claim Y1" 'It follows from claim Y1.'
echo 'As section 4 says.' >>"$tmp/tree/NOTES.txt"
finds 1 "NOTES.txt: no section 4 here" "Nothing."

python3 "$python" NOTES.txt runtimes/libitm/NOTES.txt runtimes/ghc/NOTES.txt bench/RESULTS.txt
