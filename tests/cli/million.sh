#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A million events are exported in each format, with no more memory than a small multiple of the recording's size.

. "$(dirname "$0")/cli.inc"

record "$tmp/large" --timeline=520000 -- "$O/bench/bank" --threads=2 --operations=700000 >/dev/null
events=$("$stmlog" info "$tmp/large" | awk '$1 == "events" { gsub(",", ""); print $4 }')
[ "$events" -ge 1000000 ] || fail "only $events events"
size=$(wc -c <"$tmp/large")
# The limit: the memory of the command without a file, and three times the file's size.
allowed=$((100000 + 3 * size / 1024))

# piped FORMAT COMMAND...: the command reads the export, which is made within the limit of memory
piped() {
	format=$1
	shift
	(ulimit -v "$allowed" && exec "$stmlog" export --format="$format" "$tmp/large") 2>"$tmp/err" >"$tmp/$format" ||
		fail "$format in $allowed KB: $(cat "$tmp/err")"
	silent
	found=$("$@" <"$tmp/$format")
	rm "$tmp/$format"
}

piped text grep -c '^[0-9][0-9]* '
same "events in text" "$events" "$found"
piped json grep -c '"time_ns"'
same "events in JSON" "$events" "$found"
piped perfetto wc -c
[ "$found" -ge $((events * 8)) ] || fail "only $found bytes for Perfetto"
claim "a million events go into each format in bounded memory"

needs_terminal
script -q -e -c "'$stmlog' export --format=text -o '$tmp/text' '$tmp/large'" "$tmp/terminal" >"$tmp/out" </dev/null
grep -q 'exporting: 50 %' "$tmp/terminal" || fail "no progress on a terminal: $(head -c 300 "$tmp/terminal")"
claim "on a terminal it shows how far it has come"
