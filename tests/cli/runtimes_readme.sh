#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Each snippet of runtimes/README.md compiles as it is printed there and does what the page says. Its first line is a
# comment with its name. A program of the same name in tests/snippets/ runs it; there a comment says which lines the
# report has. Each is built with the library, and run with a profiler and with none open; and built with STMLOG_OFF, and
# run without the library.

. "$(dirname "$0")/../helpers/shell.inc"

awk -v dir="$tmp" '
	/^```c$/ { is_first = 1; next }
	/^```$/ { file = ""; is_first = 0 }
	is_first { file = dir "/" $2 ".h"; is_first = 0 }
	file != "" { print >file }' runtimes/README.md
same "snippets that nothing runs, or the reverse" "$(cd tests/snippets && ls | sed 's/c$/h/')" "$(cd "$tmp" && ls)"

# quiet PROGRAM [ARGUMENT]: it succeeds and prints nothing.
quiet() {
	status=0
	"$@" >"$tmp/output" 2>&1 || status=$?
	same "status and output of $*" "0 " "$status $(cat "$tmp/output")"
}

for source in tests/snippets/*.c; do
	name=$(basename "$source" .c)
	flags="-std=gnu11 -g -Wall -Wextra -Werror -Iinclude -I$tmp"
	# shellcheck disable=SC2086
	cc $flags -O2 -o "$tmp/$name" "$source" "$O/libstmlog.a" -pthread
	"$tmp/$name" >"$tmp/report" 2>&1 || fail "$name: $(cat "$tmp/report")"
	sed -n 's/^ \* report: //p' "$source" >"$tmp/claims"
	[ -s "$tmp/claims" ] || fail "$source does not say what its report has"
	while read -r claim; do
		grep -Eq "$claim" "$tmp/report" || fail "no '$claim' in the report of $name: $(cat "$tmp/report")"
	done <"$tmp/claims"
	quiet "$tmp/$name" closed
	for level in -O0 -O2; do
		# shellcheck disable=SC2086
		cc $flags $level -DSTMLOG_OFF -o "$tmp/off" "$source" -pthread
		quiet "$tmp/off"
	done
	echo "ok - $name"
done
