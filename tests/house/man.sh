#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The manual pages of the library, made from the public headers: each public function has one, which shows its prototype
# and says in one line what the function does; man and mandoc read all of them without a complaint.

. "$(dirname "$0")/../helpers/shell.inc"

for command in man mandoc; do
	command -v $command >/dev/null || skip "no $command"
done
make -s man
pages=$O/man/man3

# The functions that are declared in the headers, without private ones.
functions() {
	cat include/stmlog/*.h | sed '/^\/\* Private/,+1d' | grep -E '^STMLOG_(API|INLINE) ' | grep -oE '\b(stmlog|tb)_[a-z_]+\(' | tr -d '(' |
		grep -Ev '_(on|slow)$' | sort -u
}

functions >"$tmp/functions"
[ "$(wc -l <"$tmp/functions")" -gt 100 ] || fail "only $(wc -l <"$tmp/functions") functions found"
while read -r name; do
	[ -e "$pages/$name.3" ] || fail "no page for $name()"
	man -l "$pages/$name.3" >"$tmp/page" 2>"$tmp/complaints" || fail "$name.3: $(cat "$tmp/complaints")"
	same "what man says of $name.3" "" "$(cat "$tmp/complaints")"
	tr -s ' \n' ' ' <"$tmp/page" >"$tmp/line"
	grep -qF "$name(" "$tmp/line" || fail "$name.3 has no prototype"
	grep -Eq "NAME [a-z_, ]*$name[a-z_, ]* - [A-Za-z]+.* .* SYNOPSIS" "$tmp/line" ||
		fail "$name.3 does not say what the function does: $(sed -n 1,8p "$tmp/page")"
done <"$tmp/functions"

mandoc -Tlint -W warning "$pages"/*.3 >"$tmp/lint" 2>&1 || :
same "what mandoc says" "" "$(cat "$tmp/lint")"

man -l "$pages/stmlog_pause_end.3" >"$tmp/page"
grep -q 'stmlog_pause_begin' "$tmp/page" || fail "functions that share a comment do not share a page"
man -l "$pages/stmlog.3" | grep -q 'STMLOG_WRITE_WRITE, /\* both transactions write the object \*/' ||
	fail "stmlog.3 lacks the rows of causes.def"
