#!/bin/sh
# SPDX-License-Identifier: MIT
#
# C++ with exceptions and templates: on both sides of a loss, the names of functions, of their transactional clones and
# of data are demangled.

. "$(dirname "$0")/../helpers/shell.inc"

# profile PROGRAM ARGUMENT...: leaves the report in $tmp/report and its entries in $tmp/entries
profile() {
	record "$tmp/data" --sample=1 -- "$@" >/dev/null
	"$stmlog" report --json "$tmp/data" >"$tmp/report"
	"$stmlog" report --full --top=1000 "$tmp/data" >"$tmp/text"
	"$O/tests/helpers/entries" "$tmp/report" >"$tmp/entries"
	if grep _Z "$tmp/text" "$tmp/report"; then
		fail "$1: mangled names"
	fi
}

# has LOCAL REMOTE: an entry whose innermost functions are these (patterns; blanks are "_")
has() {
	LOCAL=$1 REMOTE=$2 awk '$7 ~ ENVIRON["LOCAL"] && $9 ~ ENVIRON["REMOTE"] { found = 1 } END { exit !found }' \
		"$tmp/entries"
}

# loses PROGRAM LOCAL REMOTE: LOCAL loses to REMOTE; two threads are certain to conflict (bench/support/meeting.h)
loses() {
	MEETINGS=20 profile "$1" 2 100
	has "$2" "$3" || {
		cat "$tmp/entries"
		fail "$1: '$2' never lost to '$3'"
	}
}

for level in O0 O2; do
	objects=$O/programs/$level/objects
	clone='^market::add_one<unsigned_long>\(unsigned_long&\)$|^void_market::add_one<unsigned_long>\(unsigned_long&\)$'
	loses "$objects" "$clone" "$clone"
	jsonq "$tmp/report" '.entries[].local.frames[].function' >"$tmp/functions"
	grep -q '^market::sell_last(unsigned long&)$' "$tmp/functions" || fail "$objects: who throws is not there"
	jsonq "$tmp/report" '.entries[].objects[].symbol' | grep -q '^market::corner\.sold$' || fail "$objects: no such object"
	templated='market::raise<1u,_unsigned_long>\(unsigned_long&\)$'
	loses "$objects" "$templated" "$templated"
	profile "$O/programs/$level/templates" 4
	has '^ledger::retract\(double\)$' '^-$' || fail "templates: $(cat "$tmp/entries")"
	profile "$O/programs/$level/exceptions" 16
done
