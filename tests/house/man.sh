#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The manual pages. Of the library, made from the public headers: each public function has one, which shows its prototype
# and says in one line what the function does. Of the command: each option that --help has is in the page, and no other;
# stmlog-options(7) has each option that the library reads, and no other. man and mandoc read all of them without a
# complaint.

. "$(dirname "$0")/../helpers/shell.inc"

for command in col groff man mandoc; do
	command -v $command >/dev/null || skip "no $command"
done
make -s all man
stmlog=$O/stmlog
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
	mandoc -T ascii "$pages/$name.3" | col -b >"$tmp/page"
	tr -s ' \n' ' ' <"$tmp/page" >"$tmp/line"
	grep -qF "$name(" "$tmp/line" || fail "$name.3 has no prototype"
	grep -Eq "NAME [a-z_, ]*$name[a-z_, ]* - [A-Za-z]+.* .* SYNOPSIS" "$tmp/line" ||
		fail "$name.3 does not say what the function does: $(sed -n 1,8p "$tmp/page")"
done <"$tmp/functions"

# man formats by groff, which takes all pages at once.
groff -mandoc -Tutf8 -z "$O"/man/man*/* >"$tmp/groff" 2>&1 || :
same "what groff says" "" "$(cat "$tmp/groff")"
mandoc -Tlint -W warning "$O"/man/man*/* >"$tmp/lint" 2>&1 || :
same "what mandoc says" "" "$(cat "$tmp/lint")"

man -l "$pages/stmlog_wait_end.3" >"$tmp/page"
grep -q 'stmlog_wait_begin' "$tmp/page" || fail "functions that share a comment do not share a page"
man -l "$pages/stmlog_causes.3" | grep -q 'STMLOG_WRITE_WRITE, /\* both transactions write the object \*/' ||
	fail "stmlog_causes.3 lacks the rows of causes.def"

# ---- the command ----

# The options "-o, --output=FILE" with which lines begin, sorted.
options_of() {
	sed -n 's/^ *\(-., \)\{0,1\}\(--[a-z][^ :]*\)\( .*\)\{0,1\}$/\1\2/p' "$1" | sort
}

# page_of COMMAND: its page as man shows it, into $tmp/page.
page_of() {
	MANWIDTH=200 man -l "$O/man/man1/$1.1" >"$tmp/page" 2>"$tmp/complaints" || fail "$1.1: $(cat "$tmp/complaints")"
	same "what man says of $1.1" "" "$(cat "$tmp/complaints")"
	grep -q "^ *$1 - ..*" "$tmp/page" || fail "$1.1 does not say what $1 does"
}

"$stmlog" help | sed -n 's/^  \([a-z]*\) .*/\1/p' >"$tmp/commands"
[ "$(wc -l <"$tmp/commands")" -ge 8 ] || fail "only $(wc -l <"$tmp/commands") commands found"
same "pages in section 1" "$({ echo stmlog.1 && sed 's/.*/stmlog-&.1/' "$tmp/commands"; } | sort)" \
	"$(ls "$O/man/man1")"
page_of stmlog
cp "$tmp/page" "$tmp/overview"
while read -r command; do
	grep -q "^ *stmlog-$command(1)$" "$tmp/overview" || fail "stmlog(1) does not list stmlog-$command(1)"
	page_of "stmlog-$command"
	grep -q "^ *stmlog $command \[OPTION" "$tmp/page" || fail "stmlog-$command(1) has no synopsis"
	sed -n '/^OPTIONS/,/^[A-PR-Z]/p' "$tmp/page" >"$tmp/section"
	"$stmlog" help "$command" | sed '/^usage/d' >"$tmp/help"
	options_of "$tmp/help" >"$tmp/in_help"
	grep -q -e '--help' "$tmp/in_help" || fail "no options found in the help of $command"
	same "options of $command in the page" "$(cat "$tmp/in_help")" "$(options_of "$tmp/section")"
done <"$tmp/commands"

# The words of a value that --help explains are explained in the page, too.
page_of stmlog-export
tr -s ' \n' '  ' <"$tmp/page" >"$tmp/line"
"$stmlog" help export | sed -n 's/^  \([a-z]*\)  *\([^ -].*\)/\1 \2/p' >"$tmp/formats"
[ "$(wc -l <"$tmp/formats")" -ge 5 ] || fail "only $(wc -l <"$tmp/formats") formats found"
while read -r format; do
	grep -qF -e "$format" "$tmp/line" || fail "stmlog-export(1) does not say: $format"
done <"$tmp/formats"

# ---- STMLOG_OPTIONS ----

# The keys that the library and the runtimes read are words in quotation marks in calls of these functions. Those of
# STMLOG_RUN (session.run) are for `record` alone.
find stmlog runtimes -name '*.c' -exec cat {} + | tr -d '\n' |
	grep -oE '(options_get|options_number|stmlog_option)\([^";]*"[a-z]+"' | grep -v 'session\.run' |
	sed 's/.*"\(.*\)"/\1/' | sort -u >"$tmp/read"
[ "$(wc -l <"$tmp/read")" -ge 12 ] || fail "only $(wc -l <"$tmp/read") options found"
MANWIDTH=200 man -l "$O/man/man7/stmlog-options.7" >"$tmp/page"
sed -n '/^OPTIONS/,/^OTHER/p' "$tmp/page" | grep -E '^ {1,7}[a-z]' | grep -oE '[a-z]+=' | tr -d = | sort -u >"$tmp/told"
same "options that the page tells" "$(cat "$tmp/read")" "$(cat "$tmp/told")"
