#!/bin/sh
# SPDX-License-Identifier: MIT
#
# graphviz, Prometheus' own checker and Google Benchmark's compare.py read what `stmlog export` writes for them, with
# names of all bytes, and show the figures of the JSON export. Each of them refuses a damaged export.

. "$(dirname "$0")/cli.inc"

compare=/usr/share/benchmark/compare.py
promtool=$(command -v promtool || echo "$PWD/$O/cache/usr/bin/promtool")
missing=

# Debian 12 has promtool in a package that would start a service, so only this program is taken out of it. Since Debian
# 13 it has a package of its own.
if [ ! -x "$promtool" ] && command -v apt-get >/dev/null; then
	mkdir -p "$O/cache"
	for package in promtool prometheus; do
		! (cd "$tmp" && apt-get download $package && dpkg-deb --fsys-tarfile ${package}_*.deb >package.tar) >"$tmp/out" 2>&1 ||
			! tar -xf "$tmp/package.tar" -C "$O/cache" ./usr/bin/promtool || break
	done
fi

# reads READER COMMAND...: true if the command succeeds, which shows that the reader is installed
reads() {
	reader=$1
	shift
	! "$@" >/dev/null 2>&1 || return 0
	missing="$missing $reader"
	return 1
}

# ns_of FILE METRIC: the sum of the metric's seconds, in ns; awk's numbers are exact below 2^53
ns_of() {
	sed -n "s/^$2{.*} \([0-9]*\)\.\([0-9]\{9\}\)\$/\1 \2/p" "$1" |
		awk '{ s += $1; ns += $2 } END { printf "%.0f\n", s * 1000000000 + ns }'
}

# count_of FILE METRIC: the sum of the metric's counts
count_of() {
	sed -n "s/^$2{.*} \([0-9]*\)\$/\1/p" "$1" | awk '{ sum += $1 } END { printf "%.0f\n", sum }'
}

# export_as NAME FORMAT: exports $tmp/NAME into $tmp/NAME.FORMAT
export_as() {
	run 0 "$stmlog" export --format="$2" -o "$tmp/$1.$2" "$tmp/$1"
	silent
}

record "$tmp/hostile" -- "$O/tests/helpers/hostile"
record "$tmp/cause" -- "$O/every-cause" >/dev/null
record "$tmp/bank" --sample=1 -- "$O/bench/bank" --meet=50 --threads=3 --seconds=1 >/dev/null
contended "$tmp/bank"
record "$tmp/sampled" --sample=8 -- "$O/bench/bank" --threads=3 --seconds=1 >/dev/null
record "$tmp/quiet" --sample=1 -- "$O/bench/bank" --threads=1 --operations=100 >/dev/null
all="hostile cause bank sampled quiet"
for name in $all; do
	"$stmlog" report --json "$tmp/$name" >"$tmp/$name.json"
	for format in dot prometheus benchmark; do
		export_as $name $format
	done
done

drawn() {
	for name in $all; do
		timeout 60 dot -Tsvg -o "$tmp/svg" "$tmp/$name.dot" 2>"$tmp/err" || fail "dot: $(cat "$tmp/err")"
		same "what dot says of $name" "" "$(cat "$tmp/err")"
		pairs=$(jsonq "$tmp/$name.json" '.pairs#') arrows=$(grep -c 'class="edge"' "$tmp/svg" || true)
		rest=$(sed -n 's/.*not drawn: \([0-9]*\) pair.*/\1/p' "$tmp/$name.dot")
		same "arrows of $name, and pairs that are not drawn" "$pairs" $((arrows + ${rest:-0}))
		[ "$arrows" != 0 ] || [ "$name" = sampled ] || [ "$name" = quiet ] || fail "nothing is drawn of $name"
	done
	timeout 60 dot -Tsvg -o "$tmp/svg" "$tmp/hostile.dot"
	for name in 'a&quot;b&quot; q.c:1' 'back\\slash\\ b\\.c:3' '\\N \\G %s %n # \$.c:7' 'line?break?? n?.c:2' \
		'operator&lt;&amp;amp;&gt; {a=&quot;b&quot;,c} 1 &lt;b&gt;&amp;.c:6' 'r.*sum.* .*\.c:9'; do
		grep -q ">$name</text>" "$tmp/svg" || fail "no node '$name' in: $(grep '<text' "$tmp/svg")"
	done
	sed 's/];$//' "$tmp/cause.dot" >"$tmp/broken"
	! dot -Tsvg -o "$tmp/svg" "$tmp/broken" 2>/dev/null || fail "dot draws what is broken"
	claim "graphviz draws each pair or says how many are left out, and names stay names"
}

scraped() {
	for name in $all; do
		"$promtool" check metrics <"$tmp/$name.prometheus" >"$tmp/out" 2>&1 || fail "promtool of $name: $(cat "$tmp/out")"
		same "what promtool says of $name" "" "$(cat "$tmp/out")"
	done
	for broken in 's/^\(stmlog_estimated_lost_seconds_total.*\)"}/\1}/' '/^# TYPE stmlog_measured_aborts/s/counter/gauge/'; do
		sed "$broken" "$tmp/cause.prometheus" >"$tmp/broken"
		! "$promtool" check metrics <"$tmp/broken" >/dev/null 2>&1 || fail "promtool accepts what is broken by $broken"
	done
	claim "promtool accepts the metrics of any program"
}

compared() {
	for name in $all; do
		timeout 60 /usr/bin/python3 -B $compare --no-color benchmarks "$tmp/$name.benchmark" "$tmp/$name.benchmark" \
			>"$tmp/out" 2>"$tmp/err" || fail "compare.py of $name: $(cat "$tmp/err")"
		says total/lost
		same "rows of $name" "$(jsonq "$tmp/$name.benchmark" '.benchmarks[].name' | wc -l)" \
			"$(grep -v '^OVERALL' "$tmp/out" | grep -c ' +0\.0000  *+0\.0000 ')"
	done
	timeout 60 /usr/bin/python3 -B $compare --no-color benchmarks "$tmp/bank.benchmark" "$tmp/sampled.benchmark" >"$tmp/out"
	says total/lost
	head -c 100 "$tmp/bank.benchmark" >"$tmp/broken"
	! /usr/bin/python3 -B $compare benchmarks "$tmp/bank.benchmark" "$tmp/broken" >/dev/null 2>&1 ||
		fail "compare.py reads what is broken"
	claim "compare.py finds each benchmark in both, and a run equal to itself"
}

for name in $all; do
	file=$tmp/$name.prometheus json=$tmp/$name.json
	same "losses of $name" "$(jsonq "$json" .totals.lost.count)" \
		"$(($(count_of "$file" stmlog_measured_aborts_total) + $(count_of "$file" stmlog_measured_pauses_and_waits_total)))"
	same "time lost of $name" "$(total "$json" '.causes[].lost_ns')" "$(ns_of "$file" stmlog_estimated_lost_seconds_total)"
	same "time lost by site" "$(total "$json" '.sites[].lost_ns')" "$(ns_of "$file" stmlog_site_estimated_lost_seconds_total)"
	same "time of $name" "$(jsonq "$json" .totals.attached_ns)" "$(ns_of "$file" stmlog_thread_estimated_seconds_total)"
	same "commits of $name" "$(jsonq "$json" .totals.commits)" "$(count_of "$file" stmlog_commits_total)"
	same "transactions of $name" "$(total "$json" '.transactions[].commits')" \
		"$(count_of "$file" stmlog_measured_transaction_attempts_count)"
	same "lost of $name" "$(jsonq "$json" .totals.lost.lost_ns)" \
		"$(jsonq "$tmp/$name.benchmark" '.benchmarks[0].lost_ns')"
done
claim "figures are those of the report, to the nanosecond"

! reads graphviz dot -V || drawn
! reads promtool "$promtool" --version || scraped
! reads compare.py /usr/bin/python3 -B $compare --help || compared
[ -z "$missing" ] || skip "not read by$missing: not installed"
