#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The picture at the top of README.md (docs/first-screen.svg, by `make picture`) is well-formed, needs no network, and is
# not out of date: apart from figures it has the lines that the command prints today. Left out is what differs from run to
# run: how the transaction is in the way, other rows, which parts of the time are too small to show, and whether the
# machine was busy.
#
# Alone: its conflicts come by themselves.

. "$(dirname "$0")/cli.inc"
. tests/cli/figures.inc

picture=docs/first-screen.svg

# lines PICTURE: its lines of text as they stand on a terminal
lines() {
	grep '<text ' "$1" | sed -e 's/<[^>]*>//g' -e 's/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g'
}

# lasting PICTURE: the lines that each run has, apart from figures
lasting() {
	lines "$1" | figureless | awk '
		/^(how|try) / || /^N others? / { next }
		is_in && /^N / && rows++ { next }
		rows > 1 && /^data / { next }
		/^in the way / { is_in = 1 }
		/^stmlog / { sub(/ processors .*/, " processors") }
		/^(committed|aborted|paused|waiting|other|outside|open) / { sub(/ .*/, ""); if (had++) next; $0 = "account" }
		{ print }'
}

grep -qF "($picture)" README.md || fail "README.md does not show $picture"
check_xml "$picture"
same "references" "" "$(grep -nE 'href|url\(|@import|<image|<script' "$picture" || :)"
[ "$(lines "$picture" | awk '{ if (length($0) > longest) longest = length($0) } END { print longest }')" -le 80 ] ||
	fail "a line is longer than 80"
for needed in 'prefers-color-scheme: dark' '<tspan class="c1'; do
	grep -qF "$needed" "$picture" || fail "no $needed"
done
claim "the picture is well-formed, whole by itself, with colours for light and dark"

make -s picture PICTURE="$tmp/first-screen.svg"
check_xml "$tmp/first-screen.svg"
lasting "$picture" >"$tmp/committed"
lasting "$tmp/first-screen.svg" >"$tmp/today"
for line in account 'N cache_get cache.c:68 N cache_get :68 N' 'data newest N, N reads a transaction'; do
	grep -qxF "$line" "$tmp/today" || fail "no '$line': $(cat "$tmp/today")"
done
same "lines that are not those of today (if they should be: make picture)" "" "$(diff "$tmp/committed" "$tmp/today" || :)"
claim "made anew it has the lines of the picture in the tree"

# Text of a program cannot break out of the picture.
printf 'stmlog  a<b>&amp;"\033[1;31m</text><script>\033[0m\n\nNext: none\n\nbelow\n' |
	awk -v command="./a <b> & 'c'" -f docs/picture.awk >"$tmp/hostile.svg"
check_xml "$tmp/hostile.svg"
same "text" "\$ ./a <b> & 'c'" "$(lines "$tmp/hostile.svg" | head -n 1)"
same "hostile text" 'stmlog  a<b>&amp;"</text><script>' "$(lines "$tmp/hostile.svg" | sed -n 2p)"
! grep -q below "$tmp/hostile.svg" || fail "more than the first screen"
! printf 'no screen\n' | awk -v command=c -f docs/picture.awk >"$tmp/none.svg" 2>"$tmp/err" || fail "a picture of nothing"
claim "no text breaks the picture, and only the first screen is in it"
