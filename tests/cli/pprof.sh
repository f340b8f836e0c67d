#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `go tool pprof` shows of an export in pprof's format the same losses as the report of the recording, to the
# nanosecond.

. "$(dirname "$0")/cli.inc"

command -v go >/dev/null || skip "no go to run its pprof"
# go keeps nothing of this test.
PPROF_TMPDIR=$tmp HOME=$tmp
export PPROF_TMPDIR HOME

# pprof OPTION... FILE: the output of go tool pprof, which leaves no small entry out
pprof() {
	timeout 120 go tool pprof -symbolize=none -nodefraction=0 "$@" 2>"$tmp/err" || fail "pprof $*: $(cat "$tmp/err")"
}

# export_of NAME: the profile and the report of the recording $tmp/NAME
export_of() {
	run 0 "$stmlog" export --format=pprof -o "$tmp/$1.gz" "$tmp/$1"
	silent
	"$stmlog" report --json "$tmp/$1" >"$tmp/json"
}

# sums FILE: count and nanoseconds, summed over all samples
sums() {
	pprof -raw "$1" | awk '
	/^Locations/ { exit }
	/^ *[0-9]+ +[0-9]+: / { count += $1; ns += $2 }
	END { printf "%.0f %.0f\n", count, ns }'
}

# equals NAME: the profile of $tmp/NAME has the totals of its report
equals() {
	same "count and ns of $1" "$(jsonq "$tmp/json" .totals.lost.count) $(jsonq "$tmp/json" .totals.explained.lost_ns)" \
		"$(sums "$tmp/$1.gz")"
}

record "$tmp/cause" -- "$O/every-cause" >/dev/null
export_of cause
equals cause
[ "$(sums "$tmp/cause.gz")" != "0 0" ] || fail "nothing was lost"
claim "what every-cause has lost is the same in pprof"

# first_line OPTION...: the first line of -top: flat time in ns, and function
first_line() {
	pprof -top -unit=ns "$@" | awk 'is_table { sub("ns$", "", $1); print $1, $6; exit } $1 == "flat" { is_table = 1 }'
}

# The function with the largest loss among those that the victims were in: ns and name.
greatest_victim() {
	entries=$(jsonq "$tmp/json" '.entries[].reason' | wc -l)
	for i in $(seq 0 $((entries - 1))); do
		[ "$(jsonq "$tmp/json" ".entries[$i].local.frames" | tr -d ' \n')" != '[]' ] || continue
		echo "$(jsonq "$tmp/json" ".entries[$i].local.frames[0].function") $(jsonq "$tmp/json" ".entries[$i].lost_ns")"
	done | awk '{ ns[$1] += $2 } END { for (name in ns) printf "%.0f %s\n", ns[name], name }' | sort -rn | head -n 1
}

same "first line of -top" "$(greatest_victim)" "$(first_line "$tmp/cause.gz")"
claim "-top begins with the victim's site and what was lost there"

pprof -traces "$tmp/cause.gz" >"$tmp/traces"
for label in 'reason:\[self-abort\]' 'contention:\[write-read\]' 'runtime:\[smallstm\]' 'blocked_by:\[nobody\]'; do
	pprof -raw "$tmp/cause.gz" | grep -q "$label" || fail "no sample has $label"
done
grep -q 'blocked_by: *write_first smallstm_scenarios.c:' "$tmp/traces" || fail "-traces names no culprit: $(cat "$tmp/traces")"
grep -q '0x[0-9a-f]\{6\}' "$tmp/traces" && fail "an address: $(cat "$tmp/traces")"
claim "-traces has the causes and who it was lost to"

# lost_to CULPRIT OPTION...: the ns below a root of this name
lost_to() {
	culprit=$1
	shift
	pprof -top -cum -unit=ns "$@" "$tmp/cause.gz" |
		awk -v culprit="$culprit" '{ ns = $4; for (i = 0; i < 5; i++) sub("^ *[^ ]+ +", "") } $0 == culprit { sub("ns$", "", ns); print ns }'
}

# The same from the labels of the samples.
pprof -raw "$tmp/cause.gz" | awk '
	/^ *[0-9]+ +[0-9]+: / { ns = $2 }
	/blocked_by:/ { sub(".*blocked_by:\\[", ""); sub("\\].*", ""); sum[$0] += ns }
	END { for (culprit in sum) printf "%.0f %s\n", sum[culprit], culprit }' >"$tmp/culprits"
[ "$(wc -l <"$tmp/culprits")" -ge 4 ] || fail "few culprits: $(cat "$tmp/culprits")"
while read -r ns culprit; do
	same "lost to $culprit" "$ns" "$(lost_to "$culprit" -tagroot=blocked_by)"
done <"$tmp/culprits"
same "lost to them all" "$(jsonq "$tmp/json" .totals.explained.lost_ns)" "$(awk '{ sum += $1 } END { printf "%.0f\n", sum }' "$tmp/culprits")"
claim "-tagroot=blocked_by splits it by culprit"

cp "$tmp/cause" "$tmp/base"
cp "$tmp/cause.gz" "$tmp/base.gz"
same "a profile less itself" "" "$(first_line -diff_base="$tmp/base.gz" "$tmp/cause.gz" | awk '$1 != 0')"
record "$tmp/cause" -- "$O/every-cause" >/dev/null
export_of cause
equals cause
diff=$(pprof -raw -diff_base="$tmp/base.gz" "$tmp/cause.gz" | awk '/^Locations/ { exit } /^ *-?[0-9]+ +-?[0-9]+: / { ns += $2 } END { printf "%.0f\n", ns }')
was=$(sums "$tmp/base.gz" | cut -d ' ' -f 2) is=$(sums "$tmp/cause.gz" | cut -d ' ' -f 2)
same "the difference of two runs" "$((is - was))" "$diff"
claim "-diff_base subtracts one run from another"

size=$(wc -c <"$tmp/cause.gz")
for cut in 1 8 9 $((size / 2)) $((size - 10)); do
	head -c $((size - cut)) "$tmp/cause.gz" >"$tmp/cut.gz"
	status=0
	timeout 120 go tool pprof -symbolize=none -top "$tmp/cut.gz" >"$tmp/out" 2>&1 || status=$?
	[ "$status" -ne 0 ] || fail "pprof reads a file without its last $cut bytes: $(cat "$tmp/out")"
done
claim "a truncated file is refused"

record "$tmp/bank" --sample=1 -- "$O/bench/bank" --meet=50 --threads=2 --operations=30000 >/dev/null
contended "$tmp/bank"
export_of bank
equals bank
pprof -comments "$tmp/bank.gz" | grep -q 'delays are measured' || fail "who says that it was measured?"
pprof -top "$tmp/bank.gz" | grep -q '^File: bank$' || fail "not called by its file"
id=$("$stmlog" info "$tmp/bank" | awk '$1 ~ "/bench/bank$" { print $NF }')
pprof -raw "$tmp/bank.gz" | grep -q "/bench/bank $id " || fail "no build-id $id"
claim "so is what libitm has lost, with the file's build-id"

# list_of NAME FUNCTION: the lines of the function with figures, as pprof finds them from another directory: the ns and
# the number of each
list_of() {
	(cd / && pprof -unit=ns -list="^$2\$" "$tmp/$1.gz") |
		awk '$1 ~ /^[0-9]+ns$/ && $3 ~ /^[0-9]+:$/ { sub("ns", "", $1); sub(":", "", $3); print $3, $1 }' | sort
}

# page_of NAME FUNCTION: the same of the page of sources in the browser
page_of() {
	(cd / && pprof -unit=ns -output="$tmp/page" -weblist="^$2\$" "$tmp/$1.gz") >/dev/null
	sed 's/<[^>]*>//g; s/:/ /' "$tmp/page" |
		awk '$1 ~ /^[0-9]+$/ && $2 ~ /^[0-9]+ns$/ { sub("ns", "", $2); print $1, $2 }' | sort
}

# lines_of NAME FUNCTION: the same as the recording has it
lines_of() {
	"$stmlog" report --json "$tmp/$1" >"$tmp/json"
	for i in $(seq 0 $(($(jsonq "$tmp/json" '.entries#') - 1))); do
		at=".entries[$i].local.frames[0]"
		[ "$(jsonq "$tmp/json" "$at.function" || true)" != "$2" ] ||
			echo "$(jsonq "$tmp/json" "$at.line") $(jsonq "$tmp/json" ".entries[$i].lost_ns")"
	done | awk '{ ns[$1] += $2 } END { for (line in ns) if (ns[line] > 0) printf "%s %.0f\n", line, ns[line] }' | sort
}

lines=$(lines_of bank meet)
[ -n "$lines" ] || fail "nothing was lost in meet()"
same "lines of meet() in -list" "$lines" "$(list_of bank meet)"
same "lines of meet() in -weblist" "$lines" "$(page_of bank meet)"
pprof -list='^meet$' "$tmp/bank.gz" | grep -q 'ROUTINE .* meet in /.*/bench/programs/bank.c' || fail "no path"
(cd / && pprof -list='^meet$' "$tmp/bank.gz") | grep -q ' static .*meet(' || fail "no line of the source"
claim "-list and the source page have the lines of a function with their figures, from any directory"

record "$tmp/sampled" --sample=7 -- "$O/bench/bank" --meet=800 --threads=2 --operations=30000 >/dev/null
contended "$tmp/sampled"
export_of sampled
equals sampled
pprof -comments "$tmp/sampled.gz" | grep -q 'delays are estimates' || fail "who says that it was estimated?"
claim "and what was estimated of a run that was measured in part"

# total_ns INDEX: the total of -top by this value
total_ns() {
	pprof -top -unit=ns -sample_index="$1" "$tmp/paths.gz" | sed -n 's/.* of \([0-9]*\)\(ns\)\? total.*/\1/p'
}

record "$tmp/paths" --paths --sample=1 -- "$O/bench/bank" --meet=50 --threads=2 --operations=30000 >/dev/null
contended "$tmp/paths"
export_of paths
for row in committed aborted paused waiting; do
	same "$row" "$(jsonq "$tmp/json" .totals.${row}_ns)" "$(total_ns $row)"
done
same "delay" "$(jsonq "$tmp/json" .totals.explained.lost_ns)" "$(total_ns delay)"
pprof -top -cum -sample_index=time "$tmp/paths.gz" | grep -q ' 100%  worker_main$' || fail "not all time is below worker_main()"
lines=$(pprof -list='^transfer$' -sample_index=committed "$tmp/paths.gz")
case $lines in *"ROUTINE "*" transfer in /"*"/bench/programs/bank.c"*) ;; *) fail "no path: $lines" ;; esac
run 0 "$stmlog" export --format=pprof --of=time -o "$tmp/time.gz" "$tmp/paths"
pprof -top "$tmp/time.gz" | grep -q '^Type: time$' || fail "not time is shown first"
claim "fble: all time by call path, committed time included, is in the same profile, and by itself with --of=time"

filled=$("$O/tests/helpers/filled_profile" "$tmp/filled") || fail "no profile is written"
same "calls and useful ns of a filled profile" "$filled" "$(pprof -raw "$tmp/filled" | awk '
	/^Locations/ { exit }
	/^ *[0-9]+ +[0-9]+ .*: / { calls += $1; useful += $5 }
	END { printf "%.0f %.0f\n", calls, useful }')"
same "frames of the deepest path, of calls 20 deep" 5 "$(pprof -raw "$tmp/filled" | awk '
	/^Locations/ { exit }
	/^ *[0-9]+ +[0-9]+ .*: / { sub(".*: ", ""); max = NF > max ? NF : max }
	END { print max }')"
pprof -top -cum "$tmp/filled" | grep -q ' 100%  main$' || fail "not all is below main: $(pprof -top -cum "$tmp/filled")"
pprof -top -sample_index=calls "$tmp/filled" | grep -q ' site 3$' || fail "a site without a name has none"
claim "fble: a profile that a program has filled has the sums of its query"

# A timelog of one entry evicts losses as soon as its thread has lost at two places, as happens in nearly every such
# run.
for attempt in 1 2 3 4 5 6 7 8 9 10; do
	STMLOG_OPTIONS=capacity=1 record "$tmp/few" --sample=1 -- "$O/bench/bank" --meet=50 --threads=2 --operations=100000 >/dev/null
	export_of few
	equals few
	[ "$(jsonq "$tmp/json" .evicted.count)" = 0 ] || break
	[ "$attempt" -lt 10 ] || fail "nothing was evicted"
done
same "what was evicted" "$(jsonq "$tmp/json" .evicted.lost_ns)" \
	"$(pprof -top -unit=ns "$tmp/few.gz" | awk '$6 == "(evicted)" { sub("ns$", "", $1); print $1 }')"
claim "what was evicted is there by that name"
