#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The names of data on the heap, of which no symbol and no debug information tells where they lie: by the code that
# accesses them.

. "$(dirname "$0")/../helpers/shell.inc"

# named LEVEL: leaves lines of "FUNCTION MEMBER|LINE" in $tmp/named, "-" for what is not known
named() {
	MEETINGS=20 record "$tmp/data" --sample=1 -- "$O/programs/$1/orders" 2 60 >"$tmp/out"
	grep -q '^ok' "$tmp/out" || fail "orders: $(cat "$tmp/out")"
	"$stmlog" report --json "$tmp/data" >"$tmp/json"
	i=0 all=$(jsonq "$tmp/json" '.entries#')
	: >"$tmp/named"
	while [ "$i" -lt "$all" ]; do
		of=".entries[$i].objects[0]"
		echo "$(jsonq "$tmp/json" ".entries[$i].local.frames[0].function" | tr -d ' ')" \
			"$(jsonq "$tmp/json" "$of.member") $(jsonq "$tmp/json" "$of.line")" >>"$tmp/named"
		i=$((i + 1))
	done
}

# says FUNCTION WORDS: an object of the function has the name
says() {
	grep -q "^exchange::$1(.*) $2\$" "$tmp/named" || fail "$level: not '$2' in $1: $(cat "$tmp/named")"
}

for level in O0 O2; do
	named "$level"
	says place 'Book::next_id null'
	says trade 'Book::stats.volume null'
	says change 'Book::version null'
	says count 'null where\[2\] += 1'
	says follow 'Level::price null'
	# Where an element of the array may be any, it is not guessed.
	says fill 'null to->levels\[price % 4\].quantity += 1'
	"$stmlog" report --top=100 "$tmp/data" >"$tmp/text"
	grep -q '     object      `where\[2\] += 1` at 0x[0-9a-f]* (stripe 0x' "$tmp/text" || fail "no line: $(cat "$tmp/text")"
	grep -q '     object      Book::next_id at 0x[0-9a-f]* (stripe 0x' "$tmp/text" || fail "no member: $(cat "$tmp/text")"
done
