#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Compares the time of `stmlog export --format=pprof` with that of gzip, which packs the same bytes and does nothing
# else: 10,000 samples of 20 frames, once at 1,000 sites that the recording names and once at 1,000 addresses that are
# looked up in debug information. The two run in turns. Medians over the rounds:
#   gzip, export   milliseconds of each
#   ratio          export by gzip in the same round, with the lowest and highest of all rounds
# each as elapsed time and as processor time, which other work on the machine changes less. Both compress at level 6,
# the default of zlib and of gzip.
# usage: sh bench/export.sh [BUILD [ROUNDS]]

set -eu
O=${1:-build}
rounds=${2:-25}
# shellcheck disable=SC2034
forms=
# shellcheck source=bench/support/rounds.inc
. "${0%/*}/support/rounds.inc"

# timed COMMAND...: prints its elapsed time and its processor time, in ns, and its memory.
timed() {
	"$O/bench/export/timed" "$@" 2>&1 >/dev/null || stop "$* has failed"
}

# One line into $figures for each round: the figures of gzip and those of the export.
take_turns() {
	for _ in $(seq "$rounds"); do
		echo "$(timed gzip -c "$work/profile") $(timed "$O/stmlog" export --format=pprof "$work/data")"
	done >"$figures"
}

# summarise SITES CLOCK FIELD: prints the row of the time in FIELD (of gzip; the export's is three fields later).
summarise() {
	awk -v sites="$1" -v clock="$2" -v field="$3" "$median"'
	{ gzip[NR] = $field / 1e6; export[NR] = $(field + 3) / 1e6; ratio[NR] = $(field + 3) / $field }
	END {
		middle = median(ratio, NR) # and now they are sorted
		printf "  %-10s %-10s %7.1f %7.1f %7.2f %7.2f %7.2f\n", sites, clock, median(gzip, NR), median(export, NR),
			middle, ratio[1], ratio[NR]
	}' "$figures"
}

# compare SITES
compare() {
	"$O/bench/export/profile" "$work/data" "$1"
	"$O/stmlog" check "$work/data" >/dev/null || stop "$1: what was made is no recording"
	"$O/stmlog" export --format=pprof "$work/data" | gzip -dc >"$work/profile"
	take_turns
	summarise "$1" clock 1
	summarise "$1" processor 2
}

printf '  %-10s %-10s %7s %7s %7s %7s %7s\n' sites time gzip export ratio lowest highest
compare named
compare addresses
