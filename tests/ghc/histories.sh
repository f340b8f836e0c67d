#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Three programs with the faults that haskell-language-server, cachix and ouroboros-consensus have had, and mended: the
# first row of the default mode names the known culprit; with the fault mended none says conflict. And docs/haskell.md
# tells the first one as it is.

. "$(dirname "$0")/ghc.inc"
. tests/cli/document.inc

runs=${ROW_RUNS:-1}
rounds=500

# history PROGRAM CULPRIT: the function that writes the TVar, as an extended regular expression.
history() {
	program=histories/$1 culprit=$2
	haskell threaded "$program" -itests/ghc/programs/histories
	for _ in $(seq "$runs"); do
		recorded "$tmp/data" -- timeout -k 1 60 "$tmp/$program-threaded" faulty $rounds +RTS -N2
		row=$(jsonq "$tmp/report" '.rows[0].how') data=$(jsonq "$tmp/report" '.rows[0].data')
		same "$program: the first row" "conflict word" "$row $data"
		jsonq "$tmp/report" '.rows[0].objects[]' | grep -q '^TVar #' || fail "$program: no TVar: $("$stmlog" report "$tmp/data")"
		jsonq "$tmp/report" '.rows[0].text.how' | grep -Eq " ($culprit) ${1}.hs:" ||
			fail "$program: no culprit: $("$stmlog" report "$tmp/data")"
		recorded "$tmp/data" -- timeout -k 1 60 "$tmp/$program-threaded" fixed $rounds +RTS -N2
		same "$program, fixed: lost to another transaction" 0 "$(entries_with reason self-abort)"
		! jsonq "$tmp/report" '.rows[].how' | grep conflict || fail "$program, fixed: $("$stmlog" report "$tmp/data")"
	done
}

history progress recordProgress
history pushjobs updateJob
history nodestate 'addBlock|noteRequest'

# The page's part, from its heading to the next one. Its program is not linked with the module. Which of the two TVars is
# first, and at which line, is chance.
[ -e "$O/libstmlog-ghc.so" ] || exit 0
document=$tmp/document
sed -n '/^## A fault that was found by hand$/,/^## Your program$/p' docs/haskell.md |
	sed 's/^\(     data  TVar #\).*/\1.../; s/^\(     how   .* progress.hs:\).*/\1.../' >"$document"
excerpts haskell tests/ghc/programs/histories/progress.hs
mkdir "$tmp/folder"
cp tests/ghc/programs/histories/progress.hs tests/ghc/programs/histories/Meeting.hs "$tmp/folder"
run_commands "$tmp/folder" 3
