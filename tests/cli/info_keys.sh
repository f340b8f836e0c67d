#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Each key that the library and the agent write into the section INFO has a row in info.def, and is
# written once where the table says so.

. "$(dirname "$0")/cli.inc"

table=include/stmlog/info.def

# Keys of the table that come at most once, and those of lists.
sed -n 's/^STMLOG_INFO_\(TEXT\|NUMBER\|LOSS\)(\([a-z_]*\),.*/\2/p' \
	"$table" | sort >"$tmp/single"
sed -n 's/^STMLOG_INFO_LIST(\([a-z_]*\),.*/\1/p' "$table" | sort >"$tmp/lists"
[ "$(wc -l <"$tmp/single")" -ge 50 ] || fail "only $(wc -l <"$tmp/single") keys were found in $table"
same "lists" "arg option value" "$(tr '\n' ' ' <"$tmp/lists" | sed 's/ $//')"
sort "$tmp/single" "$tmp/lists" >"$tmp/known"
same "keys with two rows" "" "$(uniq -d "$tmp/known")"

# info_keys FILE: INFO is the first section: behind a file header of 16 bytes and a section header of 24.
info_keys() {
	length=$(od -An -tu8 -j24 -N8 "$1" | tr -d ' ')
	tail -c +41 "$1" | head -c "$length" | tr '\0' '\n' | sed -n 's/^\([A-Za-z_]*\)=.*/\1/p' | sort
}

# knows_keys FILE LEAST: the table has them all, and the file at least so many.
knows_keys() {
	info_keys "$1" >"$tmp/keys"
	[ "$(wc -l <"$tmp/keys")" -ge "$2" ] || fail "$1: only $(wc -l <"$tmp/keys") keys"
	same "keys of $1 that $table does not know" "" "$(sort -u "$tmp/keys" | comm -23 - "$tmp/known")"
	same "keys of $1 that come twice" "" "$(uniq -d "$tmp/keys" | comm -23 - "$tmp/lists")"
}

STMLOG_OPTIONS="out=$tmp/embedded:timeline=100" "$O/every-cause" >/dev/null 2>&1
knows_keys "$tmp/embedded" 25
claim "the keys of a program that embeds the library are in the table"

bank="$O/bench/bank --meet=50 --threads=2 --operations=100000"
# shellcheck disable=SC2086
record "$tmp/measured" $bank >/dev/null
knows_keys "$tmp/measured" 30
claim "the keys of the agent are in the table"

"$stmlog" merge -o "$tmp/merged" "$tmp/measured" "$tmp/measured"
info_keys "$tmp/merged" | comm -12 - "$tmp/single" >"$tmp/keys"
grep -v '^method$\|^hardware_commits$\|^counters_known$\|^blocked_spurious$' "$tmp/single" >"$tmp/always"
same "keys of the table that a merge leaves out" "" "$(comm -23 "$tmp/always" "$tmp/keys")"
claim "a merge writes each key of the table"
