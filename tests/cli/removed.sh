#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Commands, options and values that earlier versions had (tools/common/removed.def) are refused with one line that says
# what to use instead.

. "$(dirname "$0")/cli.inc"

table=tools/common/removed.def
sed -n 's/^REMOVED("\([^"]*\)", "\([^"]*\)", "\(.*\)")$/\1|\2|\3/p' "$table" >"$tmp/rows"
same "rows of $table" "$(grep -c '^REMOVED' "$table")" "$(wc -l <"$tmp/rows")"

while IFS='|' read -r command word instead; do
	run 2 "$stmlog" "$command" ${word:+"$word"}
	one_line "$command${word:+: $word} has been removed; $instead"
	same "stdout of $command $word" "" "$(cat "$tmp/out")"
	[ -z "$word" ] || continue
	run 2 "$stmlog" help "$command"
	one_line "$command has been removed; $instead"
done <"$tmp/rows"
claim "each removed word is refused with one line that says what to use instead"

while read -r words; do
	# shellcheck disable=SC2086
	run 2 "$stmlog" $words
	! grep -q removed "$tmp/err" || fail "$words: $(cat "$tmp/err")"
done <<'END'
predic
record --no-gains
report --no-gain
END
claim "other words that no version has had are refused as unknown"
