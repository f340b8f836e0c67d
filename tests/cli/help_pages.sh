#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `stmlog help WORD` and `stmlog help terms`: each word of the rows has its page, and each word of the reports two lines. `stmlog
# help --man`: each command has its manual page (tests/house/man.sh reads them).

. "$(dirname "$0")/cli.inc"

# fits: no line of $tmp/out is wider than 80 columns
fits() {
	awk 'length > 80 { print; wide = 1 } END { exit wide }' "$tmp/out" || fail "$1: lines of more than 80 columns"
}

sed -n 's/^\(HOW\|DATA\)([A-Z]*, "\([a-z]*\)".*/\2/p' report/ranking/ranking.def >"$tmp/rows"
same "words of the rows" 11 "$(wc -l <"$tmp/rows")"
while read -r word; do
	run 0 "$stmlog" help "$word"
	silent
	fits "$word"
	same "first line" "$word" "$(head -n 1 "$tmp/out")"
	for part in Figures "How to mend it"; do
		grep -qx "$part" "$tmp/out" || fail "help $word has no '$part'"
	done
done <"$tmp/rows"
claim "each way to be in the way, and each kind of data, has a page with its figures and how to mend it"

for command in "" record report annotate export merge diff try check info anonymize help; do
	# shellcheck disable=SC2086
	run 0 "$stmlog" help --man $command
	silent
	name=$(echo "stmlog${command:+-$command}" | tr '[:lower:]' '[:upper:]' | sed 's/-/\\\\-/')
	grep -q "^[.]TH $name 1 " "$tmp/out" || fail "$command: no manual page $name: $(head -n 3 "$tmp/out")"
done
claim "each command has a manual page"

run 0 "$stmlog" help terms
silent
fits terms
cp "$tmp/out" "$tmp/terms"
words() {
	sed -n 's/^STMLOG_[A-Z]*([A-Z_]*, "\([a-z-]*\)",.*/\1/p' include/stmlog/causes.def
	sed -n 's/^	REASON(\([A-Z_]*\),.*/\1/p' runtimes/libitm/internals/libitm_layout.h
	grep -rhoE '"[A-Z]{4}[A-Z_]*"' runtimes/ghc/blame runtimes/ghc/shim | tr -d '"' | grep -v -x -e LOCKED_READ -e UNKNOWN | sort -u
	sed -n 's/.*\[ITM_WAIT_[A-Z]*\] = {.*"\([A-Z_]*\)"}.*/\1/p' runtimes/libitm/internals/cause.c | sort -u
}
words >"$tmp/words"
same "words" 36 "$(wc -l <"$tmp/words")"
while read -r word; do
	same "lines of $word" 1 "$(grep -cx "  $word" "$tmp/terms")"
	grep -x -A 2 "  $word" "$tmp/terms" | awk 'NR > 1 && !/^      [^ ]/ { bad = 1 } END { exit bad || NR != 3 }' ||
		fail "$word has no two lines"
done <"$tmp/words"
for word in committed aborted paused waiting blocked descheduled other outside open attached residual; do
	grep -qx "  $word" "$tmp/terms" || fail "no term '$word'"
done
claim "each reason, contention and word of libitm and GHC has two lines, and each row of the account"

while read -r word; do
	grep -q "\(^\| \)$word\( \|$\)" "$tmp/terms" || fail "help terms does not list $word"
done <"$tmp/rows"
run 0 "$stmlog" help
says "stmlog help terms"
claim "the terms list the words of the rows, and the overview names the terms"
