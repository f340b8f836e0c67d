#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The dashboard for Grafana is one by Grafana's schema, and fits the export for Prometheus: each metric and label that a
# panel names is exported, each metric that is exported is in a panel, and each expression gives a series of real
# recordings, of software and of hardware transactions.
# First, dashboards with one fault each show that dashboard.py finds faults.

. "$(dirname "$0")/cli.inc"

python=/usr/bin/python3 board=packaging/grafana.json
[ -x "$python" ] && "$python" -c 'import jsonschema' 2>/dev/null || skip "no python3 with jsonschema"

# The helper plays hardware transactions where the processor has none.
record "$tmp/software.data" --sample=1 -- "$O/bench/bank" --meet=50 --threads=2 --operations=2000 >"$tmp/out"
(
	has_rtm || export RTM=play LD_PRELOAD="$PWD/$O/tests/helpers/librtm.so"
	export ITM_DEFAULT_METHOD=htm
	record "$tmp/hardware.data" --sample=1 -- "$O/bench/bank" --threads=2 --operations=1000 >"$tmp/out"
)
contended "$tmp/software.data"
for kind in software hardware; do
	run 0 "$stmlog" export --format=prometheus "$tmp/$kind.data"
	sed "s/program=\"[^\"]*\"/program=\"$kind\"/" "$tmp/out" >"$tmp/$kind.prom"
done
grep -q '^stmlog_hardware_aborts_total' "$tmp/hardware.prom" || skip "this libitm's hardware transactions cannot be watched"

# faults WORDS SED-COMMAND: of a copy that the command has changed dashboard.py says the words.
faults() {
	sed "$2" "$board" >"$tmp/board"
	! cmp -s "$board" "$tmp/board" || fail "nothing changed by $2"
	run 1 "$python" tests/helpers/dashboard.py check "$tmp/board" "$tmp/software.prom" "$tmp/hardware.prom"
	says "$1"
}
faults "no metric stmlog_commit_total" 's/stmlog_commits_total/stmlog_commit_total/'
faults "stmlog_commits_total is in no panel" 's/stmlog_commits_total/stmlog_measured_commits_total/g'
faults "stmlog_pair_measured_losses_total has no label victim" 's/by (program, site, culprit) (stmlog_pair_m/by (program, victim) (stmlog_pair_m/'
faults "stmlog_thread_estimated_seconds_total has no label row" 's/state=~/row=~/'
faults "the legend's cause is no label of the series" 's/{{program}} {{state}}/{{program}} {{cause}}/'
faults "stmlog_run_info is of all programs" 's/stmlog_run_info{program=~\\"$program\\"}/stmlog_run_info{}/'
faults "variable programs is not there, or not used" 's/"name": "program"/"name": "programs"/'
faults "label_values(stmlog_run, program): no such series" 's/label_values(stmlog_run_info/label_values(stmlog_run/'
faults "lies over" 's/"x": 12, "y": 7,/"x": 11, "y": 7,/'
faults "is wider than the page" 's/"x": 12, "y": 7, "w": 12/"x": 12, "y": 7, "w": 13/'
faults "has the id of 'Time lost'" 's/"id": 3,/"id": 2,/'
faults "is not one of" 's/"type": "timeseries"/"type": "timeserie"/'
faults "'schemaVersion' is a required property" '/"schemaVersion"/d'
claim "dashboard.py finds faults"

run 0 "$python" tests/helpers/dashboard.py check "$board" "$tmp/software.prom" "$tmp/hardware.prom"
same "faults of the dashboard" "" "$(cat "$tmp/out")"
claim "the dashboard keeps to the schema, names only what is exported, and shows all of it"

command -v promtool >/dev/null || {
	echo "not tried: what Prometheus says of the expressions, for want of promtool"
	exit 0
}
cat "$tmp/software.prom" "$tmp/hardware.prom" >"$tmp/both.prom"
run 0 "$python" tests/helpers/dashboard.py rules "$board" "$tmp/both.prom" "$tmp/rules" "$tmp/trial"
expressions=$(cat "$tmp/out")
run 0 promtool check rules "$tmp/rules"
says "$expressions rules found"
run 1 promtool test rules "$tmp/trial"
cat "$tmp/out" "$tmp/err" >"$tmp/said"
! grep 'err:' "$tmp/said" || fail "an expression cannot be evaluated"
same "expressions that have series" "$expressions" "$(grep -c '^ *got: {' "$tmp/said")"
for kind in software hardware; do
	promtool check metrics <"$tmp/$kind.prom" >"$tmp/said" 2>&1 || fail "promtool: $(cat "$tmp/said")"
	same "what promtool says of the export" "" "$(cat "$tmp/said")"
done
claim "Prometheus evaluates each expression, and finds nothing to say of the export"
