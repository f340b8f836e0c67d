#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Prometheus' own checker reads what `stmlog export` writes for it, with names of all bytes, and refuses a damaged export.
# The metrics are the figures of the JSON report.

. "$(dirname "$0")/cli.inc"

promtool=$(command -v promtool || echo "$PWD/$O/cache/usr/bin/promtool")

# Debian 12 has promtool in a package that would start a service, so only this program is taken out of it. Since Debian
# 13 it has a package of its own.
if [ ! -x "$promtool" ] && command -v apt-get >/dev/null; then
	mkdir -p "$O/cache"
	for package in promtool prometheus; do
		! (cd "$tmp" && apt-get download $package && dpkg-deb --fsys-tarfile ${package}_*.deb >package.tar) >"$tmp/out" 2>&1 ||
			! tar -xf "$tmp/package.tar" -C "$O/cache" ./usr/bin/promtool || break
	done
fi

# ns_of FILE METRIC: the sum of the metric's seconds, in ns; awk's numbers are exact below 2^53
ns_of() {
	sed -n "s/^$2{.*} \([0-9]*\)\.\([0-9]\{9\}\)\$/\1 \2/p" "$1" |
		awk '{ s += $1; ns += $2 } END { printf "%.0f\n", s * 1000000000 + ns }'
}

# count_of FILE METRIC: the sum of the metric's counts
count_of() {
	sed -n "s/^$2{.*} \([0-9]*\)\$/\1/p" "$1" | awk '{ sum += $1 } END { printf "%.0f\n", sum }'
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
	run 0 "$stmlog" export --format=prometheus -o "$tmp/$name.prometheus" "$tmp/$name"
	silent
done

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
done
claim "figures are those of the report, to the nanosecond"

"$promtool" --version >/dev/null 2>&1 || skip "no promtool to ask"
scraped
