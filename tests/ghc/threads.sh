#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Losses name the Haskell threads of both sides, by the numbers that the program prints, and from GHC 9.6 on by the
# labels that it gives.

. "$(dirname "$0")/ghc.inc"

# thread LABEL: its number and label, or "17 null" without labels.
thread() {
	id=$(sed -n "s/^$1 //p" "$tmp/printed")
	case $(ghc --numeric-version) in
	9.[0-4].*) echo "$id null" ;;
	*) echo "$id $1" ;;
	esac
}

# column PATH PATH...: the values side by side, a line for each element.
column() {
	: >"$tmp/columns"
	for path; do
		jsonq "$tmp/report" "$path" | paste -d ' ' "$tmp/columns" - >"$tmp/more"
		mv "$tmp/more" "$tmp/columns"
	done
	sed 's/^ //' "$tmp/columns"
}

# names FORM: what each thread has lost, and others because of it; and the threads of the entries.
names() {
	recorded "$tmp/data" --sample=1 -- "$tmp/threads-$1"
	all='.haskell_threads[]'
	column "$all.id" "$all.label" "$all.count" "$all.others.count" | sort >"$tmp/seen"
	printf '%s\n' "$(thread writer) 0 50" "$(thread reader) 30 0" "$(thread scanner) 20 0" | sort >"$tmp/wanted"
	same "$1: losses by Haskell thread" "$(cat "$tmp/wanted")" "$(cat "$tmp/seen")"
	for i in $(seq 0 $(($(jsonq "$tmp/report" '.entries#') - 1))); do
		same "$1: culprit" "$(thread writer)" "$(column ".entries[$i].remote.haskell.id" ".entries[$i].remote.haskell.label")"
	done
}

haskell threaded threads
haskell single threads
names threaded
names single
name=$(thread writer | sed 's/ null//; s/ \(.*\)/ "\1"/')
"$stmlog" report --full "$tmp/data" >"$tmp/text"
grep -q "^     blocked by  thread [0-9]* (Haskell $name), certain" "$tmp/text" || fail "the text: $(cat "$tmp/text")"
grep -q "^$name .* 50$" "$tmp/text" || fail "the table: $(cat "$tmp/text")"
