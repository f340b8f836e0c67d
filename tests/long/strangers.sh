#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Whether findings name what costs programs the most whose author did not know the rules (tests/strangers): each program
# is recorded RUNS times with its fault and without it, on a quiet machine and beside two busy loops. What is expected
# was decided beforehand (tests/strangers/expected.txt). Also whether findings about the programs without their fault
# are confirmed by the programs' own stamps. Prints a table; exit status 1 if fewer than nine of ten recordings pass
# somewhere. Programs in Haskell are left out where there is no GHC.
#
# On demand (make strangers), some 45 minutes; nothing else should run on the machine.
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

# compile_tm SOURCE TARGET [OPTION...]: in C, or in C++ without what is for C only.
compile_tm() {
	source=$1 target=$2
	shift 2
	case $source in
	*.c) gcc -std=gnu11 -D_GNU_SOURCE -O2 -g -fgnu-tm -pthread "$@" -o "$target" "$source" ;;
	*.cc) g++ -std=gnu++17 -O2 -g -fgnu-tm -pthread "$@" -o "$target" "$source" ;;
	esac
}

# compile NAME TARGET [OPTION...]: as their author would. A program with a plugin (NAME.plugin.c, NAME.plugin.cc) looks
# for it in TARGET.so, and the plugin for the crew in the program.
compile() {
	name=$1 program=$tmp/programs/$2
	shift 2
	if [ -f "$sources/$name.hs" ]; then
		ghc -v0 -O2 -g -threaded -rtsopts '-with-rtsopts=-N2 -A32m -qg' "$@" -i$sources \
			-outputdir "$program.objects" -o "$program" "$sources/$name.hs"
		return
	fi
	for plugin in "$sources/$name".plugin.c*; do
		[ -f "$plugin" ] || continue
		compile_tm "$plugin" "$program.so" -shared -fPIC "$@"
		set -- -rdynamic "$@"
	done
	for source in "$sources/$name".c "$sources/$name".cc; do
		[ ! -f "$source" ] || compile_tm "$source" "$program" "$@"
	done
}

# record_program PROGRAM: into $tmp/data; of workers that it has forked, what they have recorded together.
record_program() {
	rm -f "$tmp/data" "$tmp"/data.*
	"$stmlog" record -o "$tmp/data" --no-report -- "$1" >"$tmp/out" 2>"$tmp/err" || return
	for worker in "$tmp"/data.*; do
		[ -f "$worker" ] || return 0
	done
	"$stmlog" merge -o "$tmp/merged" "$tmp/data" "$tmp"/data.* 2>"$tmp/err" && mv "$tmp/merged" "$tmp/data"
}

# run_mode MODE NAME BUILD: records it, and lets it keep stamps. Those of the form without a fault are to confirm or
# deny its findings, and a machine may wait longer for some seconds: so they are kept behind each recording.
run_mode() {
	case $3 in
	faulty) with_stamps=$(((runs + 4) / 5)) ;;
	fixed) with_stamps=$runs ;;
	esac
	for n in $(seq "$runs"); do
		result=$tmp/results/$2.$3.$1.$n
		record_program "$tmp/programs/$2.$3" ||
			fail "$2.$3: $(cat "$tmp/out" "$tmp/err")"
		"$stmlog" report --json "$tmp/data" >"$result.json" || fail "$2.$3: no report"
		[ "$n" -gt "$with_stamps" ] || "$tmp/programs/$2.$3.stamps" >"$result.stamps" || fail "$2.$3.stamps"
	done
}

for name in $names; do
	compile "$name" "$name.faulty"
	compile "$name" "$name.fixed" -DFIXED
	compile "$name" "$name.faulty.stamps" -DSTAMPS
	compile "$name" "$name.fixed.stamps" -DSTAMPS -DFIXED
done
for name in $names; do
	run_mode quiet "$name" faulty
	run_mode quiet "$name" fixed
done

loops=
# The processes of the busy loops end with this script.
trap 'kill $loops 2>/dev/null; rm -rf "$tmp"' EXIT
for _ in $(seq "$busy"); do
	while :; do :; done &
	loops="$loops $!"
done
for name in $names; do
	run_mode loaded "$name" faulty
	run_mode loaded "$name" fixed
done
if [ -n "${STRANGERS_RESULTS:-}" ]; then
	cp -R "$tmp/results/." "$STRANGERS_RESULTS"
fi
python3 $sources/tally.py "$tmp/expected" "$tmp/results"
