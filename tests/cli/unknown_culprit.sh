#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A transaction that was in another one's way, and is not known, is called unknown in all outputs, and nothing else.

. "$(dirname "$0")/cli.inc"

record "$tmp/data" --timeline -- "$O/tests/helpers/blind"

# named_by PATTERN COMMAND...: the command's output has this pattern, and none of the other words for an unknown culprit.
# Other things than culprits may be "not known".
named_by() {
	pattern=$1
	shift
	run 0 "$@"
	grep -aq -e "$pattern" "$tmp/out" || fail "no '$pattern' in the output of $*: $(cat "$tmp/out")"
	! grep -aiE '\((unknown|nobody)\)|nobody|no one|somebody|someone|anybody|anonymous|unidentified|nameless' "$tmp/out" ||
		fail "another word in the output of $*"
	! grep -aiE '(blocked by|lost to|because of|culprit|other).*not known' "$tmp/out" ||
		fail "a culprit is 'not known' in the output of $*"
}

# The checks can fail.
printf 'blocked by  unknown\nblocked by  not known\n' >"$tmp/text"
! (named_by unknown cat "$tmp/text") >/dev/null 2>&1 || fail "'not known' is accepted"
! (named_by withdraw cat "$tmp/text") >/dev/null 2>&1 || fail "what is not there is found"

named_by . "$stmlog" report "$tmp/data"
named_by unknown "$stmlog" report --full "$tmp/data"
named_by ' unknown ' "$stmlog" report --by=pair "$tmp/data"
for by in site object thread cause; do
	named_by . "$stmlog" report --by=$by "$tmp/data"
done
named_by '"grade": "unknown"' "$stmlog" report --json "$tmp/data"
named_by unknown "$stmlog" diff "$tmp/data" "$tmp/data" -- "$tmp/data" "$tmp/data"
claim "reports call an unknown culprit unknown"

named_by ';--;unknown ' "$stmlog" export --format=folded "$tmp/data"
named_by '"grade": "unknown"' "$stmlog" export --format=json "$tmp/data"
named_by ' abort self-abort write-write unknown other=unknown ' "$stmlog" export --format=text "$tmp/data"
named_by 'because of an unknown transaction' "$stmlog" export --format=perfetto "$tmp/data"
"$stmlog" export --format=pprof -o "$tmp/pprof" "$tmp/data"
named_by unknown gzip -dc "$tmp/pprof"
claim "and so do all exports"
