#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Three programs with the faults that haskell-language-server, cachix and ouroboros-consensus have had, and mended: the
# first finding of the default mode names the known culprit; with the fault mended there is none. And docs/haskell.md
# tells the first one as it is.

. "$(dirname "$0")/ghc.inc"
. tests/cli/document.inc

runs=${RULE_RUNS:-1}
rounds=500

# history PROGRAM CULPRIT: the function that writes the TVar, as an extended regular expression.
history() {
	program=histories/$1 culprit=$2
	haskell threaded "$program" -itests/ghc/programs/histories
	for _ in $(seq "$runs"); do
		recorded "$tmp/data" -- timeout -k 1 60 "$tmp/$program-threaded" faulty $rounds +RTS -N2
		same "$program: the first finding" hot-word "$(jsonq "$tmp/report" '.findings[0].rule' | tr -d '"')"
		"$stmlog" report "$tmp/data" >"$tmp/text"
		sed -n '/^ *#/,/try:/p' "$tmp/text" >"$tmp/first"
		grep -q "^ 1 .* hot word .*: TVar #" "$tmp/first" || fail "$program: no TVar: $(cat "$tmp/text")"
		grep -Eq "because of ${1}.hs:[0-9-]+ ($culprit)[ ,;]" "$tmp/first" || fail "$program: no culprit: $(cat "$tmp/text")"
		recorded "$tmp/data" -- timeout -k 1 60 "$tmp/$program-threaded" fixed $rounds +RTS -N2
		same "$program, fixed: lost to another transaction" 0 "$(entries_with reason self-abort)"
		! grep -q hot-word "$tmp/report" || fail "$program, fixed: $("$stmlog" report "$tmp/data")"
	done
}

history progress recordProgress
history pushjobs updateJob
history nodestate 'addBlock|noteRequest'

# The page's part, from its heading to the next one. Its program is not linked with the module. Which of the two TVars is
# first is chance.
[ -e "$O/libstmlog-ghc.so" ] || exit 0
document=$tmp/document
sed -n '/^## A fault that was found by hand$/,/^## Your program$/p' docs/haskell.md |
	sed 's/^\(    because of progress.hs:\).*/\1.../' >"$document"
excerpts haskell tests/ghc/programs/histories/progress.hs
mkdir "$tmp/folder"
cp tests/ghc/programs/histories/progress.hs tests/ghc/programs/histories/Meeting.hs "$tmp/folder"
run_commands "$tmp/folder" 3
