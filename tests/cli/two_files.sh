#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A runtime adds two files to its own build, and needs no library: stmlog.c, which has all sources in it, and the header
# to vendor. Only names that the headers declare are visible. The project's folder may have a space in its name.

. "$(dirname "$0")/cli.inc"

mkdir "$tmp/a project"
cp "$O/stmlog-vendor.h" "$O/stmlog.c" "$tmp/a project"
sed -n '/^```c$/,/^```$/p' docs/embedding.md | sed '/^```/d; s,<stmlog/runtime.h>,"stmlog-vendor.h",' >"$tmp/a project/example.c"

# builds COMPILER STANDARD: the program is built, and all its transactions are recorded.
builds() {
	(cd "$tmp/a project" && "$1" "$2" -O2 -g -Wall -Wextra -Werror -DSTMLOG_LINKED -o example example.c stmlog.c -pthread) ||
		fail "$1 $2 fails"
	run 0 env STMLOG_OPTIONS=report=none:out="$tmp/data" "$tmp/a project/example"
	same "what the example counted" 200000 "$(cat "$tmp/out")"
	run 0 "$stmlog" report --json "$tmp/data"
	same "commits" 200000 "$(jsonq "$tmp/out" .totals.commits)"
}
builds gcc -std=c11
! command -v clang >/dev/null || builds clang -std=gnu17
claim "a program of two files more is profiled"

nm "$tmp/a project/example" | sed -n 's/.* [TDBR] //p' | grep -v '^\(_\|main$\|data_start$\|stmlog_\|tb_\)' >"$tmp/names" || :
! [ -s "$tmp/names" ] || fail "names of the library are visible: $(cat "$tmp/names")"
claim "no name of the library but those of the headers is visible"

mkdir "$tmp/a tree"
cp -r base format include stmlog traceback "$tmp/a tree"
awk -v root="$tmp/a tree" -f include/vendor/amalgamate.awk >"$tmp/again"
cmp "$tmp/again" "$O/stmlog.c" || fail "another folder makes another file"
claim "the file is the same wherever the tree is"
