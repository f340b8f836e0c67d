#!/bin/sh
# SPDX-License-Identifier: MIT
#
# No source asks whether a header is installed (__has_include): `make` would compile it before `make test` installs the
# header's package, and the object would stay as it is. What a source includes is a need of `make` (.ci/packages).
# First, a made-up source shows that asks() finds the question.

. "$(dirname "$0")/../helpers/shell.inc"

# asks FOLDER...: the places in their sources that ask.
asks() {
	grep -rn __has_include --include='*.[chS]' --include='*.[ch][cp]*' --include='*.in' "$@" || :
}

echo '#if __has_include(<some/package.h>)' >"$tmp/source.c"
same "a source that asks" "$tmp/source.c:1:$(cat "$tmp/source.c")" "$(asks "$tmp")"

same "sources that ask" "" "$(asks base format traceback report stmlog include runtimes examples tools tests bench docs)"
