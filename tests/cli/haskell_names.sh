#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Functions and lines of programs that GHC has made are those that the programs know themselves: they print where their
# functions are, and the return addresses on their stacks (tests/programs/haskell). With debug information and without,
# stripped, optimised or not.

. "$(dirname "$0")/cli.inc"

command -v ghc >/dev/null || skip "no ghc to make programs of Haskell"
sources=$PWD/tests/programs/haskell

# build NAME OPTION...: $tmp/NAME, and what it prints
build() {
	name=$1
	shift
	(cd "$sources" && timeout -k 1 300 ghc -v0 "$@" -outputdir "$tmp/$name.dir" -o "$tmp/$name" Main.hs walk.c) ||
		fail "ghc $*"
	timeout -k 1 20 "$tmp/$name" >"$tmp/$name.out" || fail "$name: status $?"
}

# locate NAME OF: a recording of losses in $tmp/NAME: first a loss with the stack of each walk that OF has printed, then
# one at each function. Its report is beside it.
locate() {
	{
		sed -n 's/^[12] //p' "$tmp/$2.out" | sort -u
		sed -n 's/^[^12 ][^ ]* 0x/0x/p' "$tmp/$2.out"
	} >"$tmp/places"
	"$O/tests/helpers/located" "$tmp/$1.stmlog" "$tmp/$1" <"$tmp/places"
	"$stmlog" report --json --top=1000 "$tmp/$1.stmlog" >"$tmp/$1.json"
}

# frames NAME NUMBER: "function file line" of each frame of a loss; "-" for what is not known
frames() {
	for member in function file line; do
		jsonq "$tmp/$1.json" ".entries[$2].local.frames[].$member" | sed 's/^null$/-/' >"$tmp/$member"
	done
	paste -d ' ' "$tmp/function" "$tmp/file" "$tmp/line"
}

# walks OF: how many losses have stacks
walks() {
	sed -n 's/^[12] //p' "$tmp/$1.out" | sort -u | wc -l
}

# chain: of the program's own functions in $tmp/frames, the names without their modules; each once where it calls itself
chain() {
	awk '$1 ~ /^(Main|Store\.Bank)\.[^?]/ {
		sub(/^(Main|Store\.Bank)\./, "", $1)
		sub(/\..*|[0-9]+$/, "", $1)
		if ($1 != last)
			printf "%s%s", last == "" ? "" : " ", $1
		last = $1
	}' "$tmp/frames"
}

# in_source: the line of each frame of the program is in the paragraph of its function's source
in_source() {
	while read -r function file line; do
		case $file in - | */Walk.hs | Walk.hs) continue ;; esac
		word=$(echo "$function" | sed -E 's/^(Main|Store\.Bank)\.//; s/(.)\..*/\1/')
		awk -v word="$word" -v line="$line" 'BEGIN { RS = "" }
		{
			last = first + gsub(/\n/, "\n")
			if (line >= first && line <= last)
				found = index("\n" $0, "\n" word " ::") || index("\n" $0, "\n(" word ") ::")
			first = last + 2
		}
		BEGIN { first = 1 }
		END { exit !found }' "$sources/$file" || fail "$function is not at $file:$line"
	done <"$tmp/frames"
}

# Newer ones of GHC have notes of the source with -g3 only.
build full -O -g3
locate full full
count=$(walks full)
[ "$count" -ge 2 ] || fail "no walks: $(cat "$tmp/full.out")"
for i in $(seq 0 $((count - 1))); do
	frames full "$i" >"$tmp/frames"
	case $(chain) in
	"withdraw transfer serve main" | "|+| transfer serve main" | "checked |+| transfer serve main") ;;
	"transfer serve main") ;;
	"double main" | "checked double main") ;; # double is inlined in main
	*) fail "walk $i: $(cat "$tmp/frames")" ;;
	esac
	! grep '^\(Main\|Store\)' "$tmp/frames" | grep -v '\.hs [1-9][0-9]*$' || fail "no line: $(cat "$tmp/frames")"
	in_source
	chain >>"$tmp/chains"
	echo >>"$tmp/chains"
done
grep -q '^withdraw ' "$tmp/chains" || fail "withdraw is nowhere: $(cat "$tmp/chains")"
grep -q '^.*|+| ' "$tmp/chains" || fail "|+| is nowhere: $(cat "$tmp/chains")"
grep -q 'double main' "$tmp/chains" || fail "double is nowhere: $(cat "$tmp/chains")"
claim "the frames of a stack are those that were called, each at a line of its own source"

build plain -O0 -g
locate plain plain
i=$(walks plain)
grep '^[^12]' "$tmp/plain.out" | while read -r function _; do
	module=Store.Bank source=Store/Bank.hs
	[ "$function" != serve ] || module=Main source=Main.hs
	first=$(awk -v word="$function" '!/::/ && ($1 == word || $2 == word) && / = / { print NR; exit }' "$sources/$source")
	same "$function of the program" "$module.$function $source $first" "$(frames plain "$i" | head -n 1 | sed 's| \./| |')"
	i=$((i + 1))
done
claim "functions that are local to their modules have their names and first lines, too"

# expects_exported NAME: each frame is one that the program knows, or has no name
expects_exported() {
	for i in $(seq 0 $((count - 1))); do
		frames "$1" "$i" >"$tmp/frames"
		case $(chain) in
		"withdraw transfer main" | "|+| transfer main" | "transfer main") ;;
		"withdraw transfer serve main" | "|+| transfer serve main") ;;
		main | "double main") ;;
		*) fail "$1, walk $i: $(cat "$tmp/frames")" ;;
		esac
	done
}

build bare -O
locate bare bare
expects_exported bare
claim "without debug information exported functions have their names, and others none"

cp "$tmp/full" "$tmp/lean"
strip -g "$tmp/lean"
locate lean full
expects_exported lean
cp "$tmp/full" "$tmp/stripped"
strip "$tmp/stripped"
locate stripped full
same "names without symbols" 0 "$(jsonq "$tmp/stripped.json" '.entries[].local.frames[].function' | grep -cv null)"
claim "a stripped program has no names, and no wrong ones"

for format in folded pprof json; do
	run 0 "$stmlog" export --format=$format -o "$tmp/exported" "$tmp/full.stmlog"
	[ $format != pprof ] || { mv "$tmp/exported" "$tmp/exported.gz" && gzip -d "$tmp/exported.gz"; }
	for function in Store.Bank.withdraw Store.Bank.transfer Main.main; do
		grep -aqF "$function" "$tmp/exported" || fail "$format: no $function"
	done
done
run 0 "$stmlog" report "$tmp/full.stmlog"
grep -q '^ *[0-9]* Bank\.withdraw  *Bank\.hs:[0-9-]* ' "$tmp/out" || fail "no short name: $(cat "$tmp/out")"
run 0 "$stmlog" report --full --top=99 "$tmp/full.stmlog"
grep -q '^ *where  *[./]*Store/Bank\.hs:[0-9-]*  *Store\.Bank\.withdraw$' "$tmp/out" || fail "no whole name: $(cat "$tmp/out")"
claim "names are whole in a full report and in the exports, and short in a report"

run 0 "$stmlog" annotate -i "$tmp/full.stmlog" Store.Bank.withdraw
# GHC 9.6 says where the function is, and not at which of its lines.
grep -Eq '^>.* (18|19|20|21)  +[a-z]+.*(account|balance|amount)|^>.*one of the lines 17-21' "$tmp/out" || fail "no line: $(cat "$tmp/out")"
claim "annotate lists the lines of the source with their losses"
