#!/bin/sh
# SPDX-License-Identifier: MIT
#
# bench/scale.sh has a row for each cost, and misses what is not linear. The test does not look at how large figures are.

. "$(dirname "$0")/../cli/cli.inc"
make -s O="$O" scale

run_quick() {
	status=0
	sh bench/scale.sh --quick "$@" "$O" >"$tmp/out" 2>"$tmp/err" || status=$?
	[ $status -le 1 ] || fail "status $status"
	silent
}
run_quick
for row in "frames: clone" "frames: glibc backtrace()" "sites: a loss, 128 entries kept" "threads: a start or commit" \
	"events: one, in a timeline" "keys: report" "keys: report --json" "keys: export pprof" \
	"keys: diff" "keys: merge" "events: report" "events: report --json" "events: export perfetto" "events: check"; do
	grep -qE "^$(echo "$row" | sed 's/[()]/\\&/g') +(-|-?[0-9])" "$tmp/out" || fail "no row of $row: $(cat "$tmp/out")"
done
claim "each cost has a row"

"$O/bench/scale/recording" keys 500 "$tmp/keys" >/dev/null
"$O/bench/scale/recording" events 4000 "$tmp/events" >/dev/null
"$stmlog" check "$tmp/keys" >/dev/null
"$stmlog" check "$tmp/events" >/dev/null
same "keys" 500 "$("$stmlog" info "$tmp/keys" | awk '$1 == "entries" { print $4 }')"
claim "recordings that are made by the hooks hold together, and have the size that was asked for"

# judged_as STATUS WORDS NAME EXPONENT [MEMORY]: a command that takes n^EXPONENT microseconds of the processor
judged_as() {
	awk -v name="$3" -v exponent="$4" -v memory="${5:-1}" 'BEGIN {
		OFS = "\t"
		for (n = 100; n <= 1000000; n *= 10) {
			ns = 1e3 * n ^ exponent
			print "run", name, n, ns, ns, memory * n / 1024 * 32, n * 32
		}
	}' >"$tmp/lines"
	run "$1" env LC_ALL=comma sh bench/scale.sh --from="$tmp/lines"
	says "$2"
}
make_comma_locale
judged_as 0 "holds: keys: merge: exponent 1.0" "keys: merge" 1.05
judged_as 1 "missed: keys: merge: exponent 1.1" "keys: merge" 1.15
judged_as 0 "keys: diff " "keys: diff" 1.5
judged_as 1 "missed: events: report: 2.50 times the size" "events: report" 0.9 2.5
judged_as 1 "missed: events: report: 3.98 s for 10^6, 1 s allowed" "events: report" 1.1
claim "a report, an export or a merge that is not linear is named, and is a failure"

run 2 sh bench/scale.sh --nonsense
same "stderr" "scale.sh: --nonsense: use --quick, --long, --only=steps|keys|events, --from=FILE or --plots=DIRECTORY" \
	"$(cat "$tmp/err")"
claim "it ends with one line where it is told what it does not know"
