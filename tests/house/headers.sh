#!/bin/sh
# SPDX-License-Identifier: MIT
#
# No header's name stands twice on one include path, so that `#include "account.h"` means one file whatever folder it is
# read in. First, made-up folders show that a name that stands twice is found.

. "$(dirname "$0")/house.inc"

# doubles FOLDER...: the names of headers that stand in two of these folders
doubles() {
	for folder; do
		find "$folder" -maxdepth 1 -name '*.h' -printf '%f\n'
	done | sort | uniq -d
}

mkdir -p "$tmp/a" "$tmp/b" "$tmp/c"
touch "$tmp/a/one.h" "$tmp/a/two.h" "$tmp/b/three.h" "$tmp/c/two.h"
same "names in two folders" "" "$(doubles "$tmp/a" "$tmp/b")"
same "names in three folders" two.h "$(doubles "$tmp/a" "$tmp/b" "$tmp/c")"

make -n -B O="$O" all tests 2>/dev/null | grep -oE '( -I *[^ ]+)+' | sed 's/ -I *'"/ /g" | sort -u >"$tmp/paths"
[ "$(wc -l <"$tmp/paths")" -gt 10 ] || fail "make prints only $(wc -l <"$tmp/paths") include paths"
while read -r path; do
	# shellcheck disable=SC2086
	set -- $(for folder in $path; do [ ! -d "$folder" ] || echo "$folder"; done)
	found=$(doubles "$@")
	[ -z "$found" ] || fail "on the include path $path: $found"
done <"$tmp/paths"
