#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Each snippet of runtimes/README.md and docs/embedding.md whose first line is a comment, its name, compiles as it is
# printed there and does what the page says. A program of the same name in tests/snippets/ includes the headers and the
# snippet, and runs it; there a comment says which lines the report has. Each is built
#   - with the library, and run with a profiler and with none open;
#   - with the header to vendor and without the library, and run without the library, and with one that is found;
#   - with STMLOG_OFF, and run without the library.

. "$(dirname "$0")/../helpers/shell.inc"

mkdir "$tmp/snippets" "$tmp/vendored" "$tmp/vendored/stmlog"
awk -v dir="$tmp/snippets" '
	/^```c(\+\+)?$/ { is_first = 1; next }
	/^```$/ { file = ""; is_first = 0 }
	is_first { file = $1 == "/*" ? dir "/" $2 ".h" : ""; is_first = 0 }
	file != "" { print >file }' runtimes/README.md docs/embedding.md
same "snippets that nothing runs, or the reverse" "$(cd tests/snippets && ls | sed 's/\..*/.h/')" "$(cd "$tmp/snippets" && ls)"

# In place of the installed headers.
cp "$O/stmlog-vendor.h" "$tmp/vendored"
for header in runtime agent; do
	echo '#include "stmlog-vendor.h"' >"$tmp/vendored/stmlog/$header.h"
done
printf '#include "stmlog-vendor.h"\n#include "%s"\n' "$PWD/include/stmlog/stmlog.hpp" >"$tmp/vendored/stmlog/stmlog.hpp"

# build PROGRAM FLAG...: of $source.
build() {
	program=$1
	shift
	case $source in *.cc) compiler="c++ -std=gnu++17" ;; *) compiler="cc -std=gnu11" ;; esac
	$compiler -g -Wall -Wextra -Werror "-I$tmp/snippets" -o "$tmp/$program" "$source" "$@" -pthread
}

# quiet PROGRAM [ARGUMENT]: it succeeds and prints nothing.
quiet() {
	status=0
	"$@" >"$tmp/output" 2>&1 || status=$?
	same "status and output of $*" "0 " "$status $(cat "$tmp/output")"
}

# reports COMMAND...: the report of its recording has all lines that the source says.
reports() {
	STMLOG_OPTIONS=report=none:out=$tmp/data "$@" >"$tmp/output" 2>&1 || fail "$*: $(cat "$tmp/output")"
	"$stmlog" report --full "$tmp/data" >"$tmp/report"
	sed -n 's/^ \* report: //p' "$source" >"$tmp/claims"
	[ -s "$tmp/claims" ] || fail "$source does not say what its report has"
	while read -r claim; do
		grep -Eq "$claim" "$tmp/report" || fail "no '$claim' in the report of $*: $(cat "$tmp/report")"
	done <"$tmp/claims"
}

for source in tests/snippets/*; do
	name=$(basename "$source" | sed 's/\..*//')
	build "$name" -O2 -Iinclude "$O/libstmlog.a"
	reports "$tmp/$name"
	quiet "$tmp/$name" closed
	build vendored/program -O2 "-I$tmp/vendored"
	quiet "$tmp/vendored/program"
	reports env STMLOG_LIBRARY="$PWD/$O/libstmlog.so" "$tmp/vendored/program"
	for level in -O0 -O2; do
		build off -Iinclude $level -DSTMLOG_OFF
		quiet "$tmp/off"
	done
	echo "ok - $name"
done

# It is to be read in ten minutes.
[ "$(wc -l <runtimes/README.md)" -lt 250 ] || fail "the page has $(wc -l <runtimes/README.md) lines"
echo "ok - the page is short"
