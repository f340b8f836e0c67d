#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What records in a program takes none of the functions of base/own_string.c from libc: sanitizers replace those.

. "$(dirname "$0")/../helpers/shell.inc"

[ -e "$O/obj/base/own_string.o" ] || skip "libraries for sanitizers use libc's"
nm --defined-only --extern-only --format=posix "$O/obj/base/own_string.o" | cut -d ' ' -f 1 | sort >"$tmp/own"
[ "$(wc -l <"$tmp/own")" -ge 10 ] || fail "only $(wc -l <"$tmp/own") functions in base/own_string.c"

# of_libc NM_OPTION FILE: which of them the file wants from another
of_libc() {
	nm "$1" --undefined-only --format=posix "$2" | sed 's/[@ ].*//' | sort -u | comm -12 - "$tmp/own" | paste -s -d ' '
}

cc -shared -o "$tmp/without.so" "$O/obj/base/out.o"
same "functions of libc in a library without its own" "memcpy strlen" "$(of_libc -D "$tmp/without.so")"
for library in "$O"/libstmlog.so "$O"/libstmlog-itm.so "$O"/libstmlog-ghc.so; do
	[ ! -e "$library" ] || same "functions of libc in $library" "" "$(of_libc -D "$library")"
done
for archive in "$O"/libstmlog.a "$O"/libstmlog-itm.a "$O"/libstmlog-ghc.a; do
	[ ! -e "$archive" ] || same "functions of libc in $archive" "" "$(of_libc -g "$archive")"
done
