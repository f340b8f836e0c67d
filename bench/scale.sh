#!/bin/sh
# SPDX-License-Identifier: MIT
#
# How costs grow with the work. The first table has what recording costs, in nanoseconds of one step: with deeper
# tracebacks (and what peers take for them), more sites, more threads, more events. The second one has what the command
# takes for larger recordings: processor time, without that for a recording of ten keys or events; elapsed time and
# memory for the largest one. Each command takes turns with the others, over all sizes. Figures are medians.
#   n^     the exponent: a straight line through the logarithms of all sizes and figures (least squares)
#   last   the exponent between the last two sizes
#   size   bytes of the largest recording (of both, where the command reads two)
#   memory the most that the command had at a time, as a multiple of that size
#   control memory itself: rows of 280 bytes written into fresh memory, then read, in order or at random. No command can
#          grow less than the memory that it needs
# The last table has a line for each claim: reports, exports and merges have exponents below 1.1 over all sizes; a
# report of 10^6 events takes at most 1 s, and twice the recording's size in memory. A claim that does not hold is a
# failure. A comparison takes 4 times as much memory as its recordings, so the largest is a tenth of the others, but
# with --long.
# usage: sh bench/scale.sh [--quick|--long] [--only=steps|keys|events] [--plots=DIRECTORY] [BUILD]
#        sh bench/scale.sh --from=FILE
#   --quick    small sizes, one round: does it run at all?
#   KEYS, EVENTS, DIFFS in the environment: other sizes, "10000 100000"; the largest number of keys to be compared
#   --long     up to 10^8 events: takes 30 GB in the directory for temporary files, and as much memory
#   --from     judges lines as this script has made them (below), measures nothing
#   --plots    both tables as pictures (svg), drawn by gnuplot

set -eu
# shellcheck disable=SC2034
forms=
size=usual only= from= plots=
while :; do
	case ${1:-} in
	--quick) size=quick ;;
	--long) size=long ;;
	--only=steps | --only=keys | --only=events) only=${1#--only=} ;;
	--from=?*) from=${1#--from=} ;;
	--plots=?*) plots=${1#--plots=} ;;
	-*)
		echo "${0##*/}: $1: use --quick, --long, --only=steps|keys|events, --from=FILE or --plots=DIRECTORY" >&2
		exit 2
		;;
	*) break ;;
	esac
	shift
done
O=${1:-build}
rounds=5
# shellcheck source=bench/support/rounds.inc
. "${0%/*}/support/rounds.inc"

case $size in
quick)
	rounds=1 depths="10 20" sites="10 100" threads="1 2" kept="10000 20000"
	keys="100 1000" diffs=1000 events="1000 10000" long_rounds=1
	;;
*)
	depths="10 20 50 100 200 500 1000" sites="10 100 1000 10000 100000" threads="1 2 4 8 16 32 64"
	kept="10000 100000 1000000 10000000" keys="10000 30000 100000 1000000" diffs=100000
	events="10000 100000 1000000 10000000" long_rounds=3
	;;
esac
[ $size != long ] || kept="$kept 100000000" events="$events 100000000" diffs=1000000
keys=${KEYS:-$keys} events=${EVENTS:-$events} diffs=${DIFFS:-$diffs}

# ---- what recording costs: lines of "step<tab>NAME<tab>N<tab>NANOSECONDS" ----

# step NAME N COMMAND...
step() {
	name=$1 n=$2
	shift 2
	printf 'step\t%s\t%s\t%s\n' "$name" "$n" "$("$@" || stop "$* has failed")"
}

steps() {
	# shellcheck disable=SC2086
	"$O/bench/micro/peers" --table $depths | sed 's/^/step	frames: /'
	for n in $sites; do
		step "sites: a loss, 128 entries kept" "$n" "$O/bench/scale/costs" sites "$n"
		step "sites: a loss, all entries kept" "$n" env STMLOG_OPTIONS=capacity="$n" "$O/bench/scale/costs" sites "$n"
	done
	for n in $threads; do
		figures=$("$O/bench/scale/costs" threads "$n")
		step "threads: a start or commit" "$n" echo "${figures% *}"
		step "threads: KiB of each thread" "$n" echo $((${figures#* } / 1024))
	done
	for n in $kept; do
		step "events: one, in a timeline" "$n" "$O/bench/scale/costs" events "$n"
	done
}

# ---- what commands take: lines of "run<tab>NAME<tab>N<tab>ELAPSED<tab>PROCESSOR<tab>KIB<tab>SIZE" ----

# take NAME N FILES COMMAND...: FILES: how many recordings of $n the command reads
take() {
	name=$1 n=$2 bytes=$(($3 * $(wc -c <"$data")))
	shift 3
	figures=$("$O/bench/export/timed" "$@" 2>&1 >/dev/null) || stop "$* has failed: $figures"
	printf 'run\t%s\t%s\t%s\t%s\n' "$name" "$n" "$(echo "$figures" | tr ' ' '\t')" "$bytes"
}

# commands KIND N
commands() {
	kind=$1 n=$2 data=$work/$1-$2
	take "$kind: report" "$n" 1 "$O/stmlog" report "$data"
	if [ "$kind" = events ]; then
		take "$kind: report --json" "$n" 1 "$O/stmlog" report --json "$data"
		take "$kind: export perfetto" "$n" 1 "$O/stmlog" export --format=perfetto "$data"
		take "$kind: check" "$n" 1 "$O/stmlog" check "$data"
		return
	fi
	take "$kind: export pprof" "$n" 1 "$O/stmlog" export --format=pprof "$data"
	rm -f "$work/merged" # to replace a large file takes time
	take "$kind: merge" "$n" 2 "$O/stmlog" merge -o "$work/merged" "$data" "$data-later"
	# Of 10^6 keys it writes 4 GB.
	[ "$n" -ge 1000000 ] && [ "$round" -gt 1 ] ||
		take "$kind: report --json" "$n" 1 "$O/stmlog" report --json "$data"
	take "control: rows in order" "$n" 1 "$O/bench/scale/memory" rows "$n"
	take "control: rows at random" "$n" 1 "$O/bench/scale/memory" rows "$n" random
	[ "$n" -le "$diffs" ] || return 0
	take "$kind: diff" "$n" 2 "$O/stmlog" diff "$data" -- "$data-later"
}

# make_recording KIND N OUT [FIRST]
make_recording() {
	"$O/bench/scale/recording" "$@" >"$work/made" || stop "recording $* has failed"
	printf 'run\t%s: made by the library\t%s\t%s\t%s\t0\t%s\n' "$1" "$2" "$(cut -d ' ' -f 2 "$work/made")" \
		"$(cut -d ' ' -f 2 "$work/made")" "$(wc -c <"$3")"
}

# All sizes of a kind are there at a time. The later recording shares half of its keys with the other one.
make_recordings() {
	for n in $2; do
		make_recording "$1" "$n" "$work/$1-$n"
		[ "$1" = events ] || make_recording "$1" "$n" "$work/$1-$n-later" $((n / 2))
	done
}

# Large recordings have fewer rounds.
runs() {
	make_recordings "$1" "100 $2"
	for round in $(seq $rounds); do
		for n in 100 $2; do
			[ "$n" -lt 1000000 ] || [ "$round" -le $long_rounds ] || continue
			commands "$1" "$n"
		done
	done
	rm -f "$work/$1"-*
}

# ---- the whole ----

# The peers that are not in the table.
tell_of_peers() {
	sh "${0%/*}/lttng.sh" "$O"
	sh "${0%/*}/uftrace.sh" "$O"
	grep -q '^step	frames: libunwind' "$work/lines" ||
		echo "libunwind: not measured: it takes the package libunwind-dev, when this is built"
}

plot() {
	if ! command -v gnuplot >/dev/null; then
		echo "no plots: gnuplot is not here"
		return
	fi
	mkdir -p "$plots"
	for table in step run; do
		sed -n "s/^$table	//p" "$work/points" >"$work/plotted"
		gnuplot -e "points='$work/plotted'; out='$plots/$table.svg'; what='$table'" "${0%/*}/scale/plot.gp" ||
			stop "gnuplot has failed"
		echo "drawn: $plots/$table.svg"
	done
}

measure_all() {
	[ -n "$only" ] && [ "$only" != steps ] || steps
	[ -n "$only" ] && [ "$only" != keys ] || runs keys "$keys"
	[ -n "$only" ] && [ "$only" != events ] || runs events "$events"
}

if [ -n "$from" ]; then
	cp "$from" "$work/lines"
	only=none
else
	measure_all >"$work/lines"
fi
status=0
awk -F '\t' -v points="$work/points" "$median"'
'"$(cat "${0%/*}/scale/table.awk")" "$work/lines" || status=$?
[ -n "$only" ] && [ "$only" != steps ] || tell_of_peers
[ -z "$plots" ] || plot
exit $status
