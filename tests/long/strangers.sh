#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Whether the first row of a report is the transaction that is in the way, of programs whose author did not know how rows
# are made (tests/strangers): each program is recorded RUNS times with its fault and without it, on a quiet machine,
# beside two busy loops, and with four threads per processor. What is expected was decided beforehand
# (tests/strangers/expected.txt). Also whether the first row is the same in all quiet recordings, and whether rows of the
# programs without their fault are confirmed by the programs' own stamps. Prints a table; exit status 1 if fewer than ten
# of ten quiet recordings, or nine of ten others, pass somewhere. Programs in Haskell are left out where there is no GHC.
#
# On demand (make strangers), some 70 minutes; nothing else should run on the machine.
# usage: sh tests/long/strangers.sh [RUNS [PROGRAM...]]      BUSY: the number of busy loops (2)

STMLOG_BUILT=${STMLOG_BUILT:-1} # make strangers builds what is needed
. "$(dirname "$0")/../helpers/shell.inc"

runs=${1:-10}
[ $# -eq 0 ] || shift
busy=${BUSY:-2}
sources=tests/strangers
command -v python3 >/dev/null || skip "no python3 to count with"
mkdir "$tmp/programs" "$tmp/results"

grep -v '^#' $sources/expected.txt >"$tmp/all"
if [ $# -gt 0 ]; then
	for program in "$@"; do
		grep "^$program	" "$tmp/all" || fail "no program $program"
	done >"$tmp/expected"
else
	cp "$tmp/all" "$tmp/expected"
fi
if ! command -v ghc >/dev/null; then
	echo "no ghc: without the programs in Haskell"
	grep -v '^[A-Z]' "$tmp/expected" >"$tmp/all"
	cp "$tmp/all" "$tmp/expected"
fi
names=$(cut -f 1 "$tmp/expected")

# shellcheck source=tests/strangers/compile.inc
. "$sources/compile.inc"

# record_program PROGRAM: into $tmp/data
record_program() {
	rm -f "$tmp/data" "$tmp"/data.*
	# shellcheck disable=SC2086
	$pinned "$stmlog" record -o "$tmp/data" --no-report -- "$1" >"$tmp/out" 2>"$tmp/err"
}

# run_mode MODE NAME BUILD: records it, and lets it keep stamps. Those of the form without a fault are to confirm or
# deny its rows, and a machine may wait longer for some seconds: so they are kept behind each recording.
run_mode() {
	case $3 in
	faulty) with_stamps=$(((runs + 4) / 5)) ;;
	fixed) with_stamps=$runs ;;
	esac
	program=$2.$3
	[ "$1" != crowded ] || program=$program.crowded
	for n in $(seq "$runs"); do
		result=$tmp/results/$2.$3.$1.$n
		record_program "$tmp/programs/$program" || fail "$program: $(cat "$tmp/out" "$tmp/err")"
		"$stmlog" report --json "$tmp/data" >"$result.json" || fail "$program: no report"
		# shellcheck disable=SC2086
		[ "$n" -gt "$with_stamps" ] || $pinned "$tmp/programs/$program.stamps" >"$result.stamps" ||
			fail "$program.stamps"
	done
}

# run_all MODE: all programs, with their faults and without.
run_all() {
	for name in $names; do
		run_mode "$1" "$name" faulty
		run_mode "$1" "$name" fixed
	done
}

# compile_forms NAME BUILD [OPTION...]: to be recorded, and with stamps
compile_forms() {
	name=$1 build=$2
	shift 2
	compile "$name" "$name.$build" "$@"
	compile "$name" "$name.$build.stamps" -DSTAMPS "$@"
}

for name in $names; do
	compile_forms "$name" faulty
	compile_forms "$name" fixed -DFIXED
	compile_forms "$name" faulty.crowded -DCROWDED
	compile_forms "$name" fixed.crowded -DCROWDED -DFIXED
done
pinned=
run_all quiet
# Their number of threads is made for two processors.
pinned="taskset -c 0,1"
[ "$(nproc)" -gt 2 ] || pinned=
run_all crowded
pinned=

loops=
# The processes of the busy loops end with this script.
trap 'kill $loops 2>/dev/null; rm -rf "$tmp"' EXIT
for _ in $(seq "$busy"); do
	while :; do :; done &
	loops="$loops $!"
done
run_all loaded
if [ -n "${STRANGERS_RESULTS:-}" ]; then
	cp -R "$tmp/results/." "$STRANGERS_RESULTS"
fi
python3 $sources/tally.py "$tmp/expected" "$tmp/results"
