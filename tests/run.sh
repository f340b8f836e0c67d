#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Every test there is, in the order in which a failure is cheapest to find: the build
# with warnings as errors, the headers by themselves, each unit test plain, under
# valgrind and with the sanitizers, those with threads once more under what looks for
# races between them, then the shell tests against the real programs.
# One line for each; what a failed one printed follows it. The last line is
# "N passed, M failed", and the exit status tells the same.
#
# What takes longer, in tests/long/, has targets of its own in the Makefile.
#
# A shell test that exits with 77 was skipped; its last line says why.
# usage: sh tests/run.sh [PATTERN]      only tests whose name contains PATTERN

set -u
cd "$(dirname "$0")/.." || exit 2
pattern=${1:-}
O=build
export O
# A jobserver of the make that started us is not ours to use.
unset MAKEFLAGS MFLAGS MAKELEVEL SAN RACE
# The profiler under test is not to profile the tests. Shell tests name libitm's method themselves (helpers/shell.inc).
unset STMLOG_OPTIONS STMLOG_LIBITM LD_PRELOAD ITM_DEFAULT_METHOD
log=$(mktemp)
results=$(mktemp)
trap 'rm -f "$log" "$results"' EXIT
trap 'exit 130' INT TERM

# check SECONDS NAME COMMAND...
check() {
	case $2 in *"$pattern"*) ;; *) return 0 ;; esac
	sh tests/check.sh "$results" "$@"
}

# How many ended so.
count() {
	grep -c "^$1" "$results"
}

build() {
	make -j"$(nproc)" --no-print-directory WERROR=1 "$@"
}

# The build is not a test among others: without it nothing else means anything.
build_or_stop() {
	echo "building $*"
	build "$@" >"$log" 2>&1 && return
	cat "$log"
	echo "0 passed, 1 failed"
	exit 1
}

check_headers() {
	for header in include/stmlog/*.h; do
		inner=${header#include/}
		# Twice, and a declaration: a translation unit must not be empty.
		text="#include <$inner>\n#include <$inner>\nextern int one;\n"
		for language in c:c11:cc c++:c++17:c++; do
			rest=${language#*:}
			check 60 "$inner as ${rest%:*}" sh -c "printf '$text' | ${rest#*:} -std=${rest%:*} -pedantic-errors -Wall -Wextra \
				-Werror -Iinclude -fsyntax-only -x ${language%%:*} -"
		done
	done
}

# The sources of unit tests: all; those that run threads, or are of what does; and those whose threads race
# as hard as they can.
all_tests() {
	ls tests/*/*_test.c tests/*/*/*_test.c
}

threaded_tests() {
	for source in $(all_tests); do
		of=${source#tests/}
		! grep -qs 'pthread_create\|peer_start\|scene_play' "$source" "${of%_test.c}.c" || echo "$source"
	done
}

stress_tests() {
	ls tests/*/*_stress_test.c tests/*/*/*_stress_test.c
}

# run_unit_tests SOURCES SECONDS DIRECTORY SUFFIX [COMMAND...]: as many at a time as there are processors, for most
# run on one: valgrind lets no two threads run at once.
run_unit_tests() {
	sources=$1 limit_each=$2 directory=$3 suffix=$4
	shift 4
	for source in $sources; do
		test=${source#tests/}
		test=${test%.c}
		case $test$suffix in *"$pattern"*) printf '%s\n' "$test" ;; esac
	done | xargs -P "$(nproc)" -I '{}' sh tests/check.sh "$results" "$limit_each" "{}$suffix" \
		"$@" "$directory/tests/{}"
}

# Fair, for else a thread that waits for another may keep it from running.
valgrind="valgrind --error-exitcode=9 --fair-sched=yes -q"
# glibc would hand the stack of a thread that has ended to the next one, which both take for a race.
race_valgrind="env GLIBC_TUNABLES=glibc.pthread.stack_cache_size=0 $valgrind"

# Where the kernel spreads addresses far (vm.mmap_rnd_bits=32) gcc 12 and 14 have no room for what the sanitizers keep:
# that of threads does not start, that of addresses may hang. A container may not let us turn it off.
fixed=$(! setarch -R true 2>/dev/null || echo setarch -R)

run_shell_tests() {
	STMLOG_BUILT=1
	export STMLOG_BUILT
	for script in tests/*/*.sh; do
		case $script in tests/long/*) continue ;; esac
		[ -e "$script" ] || continue
		check 600 "${script#tests/}" sh "$script"
	done
}

build_or_stop all tests programs tm-programs micro
check_headers
# shellcheck disable=SC2086 # $valgrind is several words, and $fixed
{
	run_unit_tests "$(all_tests)" 120 build ""
	run_unit_tests "$(all_tests)" 600 build " (valgrind)" $valgrind --leak-check=full --errors-for-leak-kinds=definite
	build_or_stop SAN=address,undefined tests
	run_unit_tests "$(all_tests)" 300 build/san " (sanitizers)" $fixed
	build_or_stop SAN=thread tests
	run_unit_tests "$(threaded_tests)" 300 build/tsan " (thread sanitizer)" $fixed
	build_or_stop RACE=1 tests
	run_unit_tests "$(stress_tests)" 300 build/race " (helgrind)" $race_valgrind --tool=helgrind
	run_unit_tests "$(stress_tests)" 300 build/race " (drd)" $race_valgrind --tool=drd
}
run_shell_tests

passed=$(count passed) failed=$(count failed) skipped=$(count skipped)
[ "$skipped" -eq 0 ] || echo "$skipped skipped"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
