#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the tests, cheap ones first: the build with warnings as errors, each public header by itself, the tests of the
# tree itself (tests/house), the unit tests plain, under valgrind, and with the sanitizers of clang; unit tests with
# threads under the thread sanitizer, stress tests under helgrind and DRD; then the shell tests, which run the real
# programs.
#
# One line for each test, and the output of those that fail. The last line is "N passed, M failed"; the exit status is 0
# if none failed. A shell test that exits with 77 was skipped, and its last line says why.
#
# Tests that take longer are in tests/long/ and have targets of their own (tests/rules.mk).
# As many tests run at a time as there are processors, and those begin first that take longest. Shell tests that need all
# processors run alone, since they compare times, or because threads of their programs are to meet without a meeting
# point: those of tests/bench, tests/ghc and tests/libitm, but for scripts that say "# Not alone: WHY", and others that
# say "# Alone: WHY".
#
# usage: sh tests/run.sh [--quick] [PATTERN]
#   --quick   some two minutes: headers, tests/house, plain unit tests, and the demonstration
#   PATTERN   only tests whose name contains it, and only what they need is built: "heap_test", "cli/", "(valgrind)"

set -u
cd "$(dirname "$0")/.." || exit 2
quick=
if [ "${1:-}" = --quick ]; then
	quick=yes
	shift
fi
pattern=${1:-}
O=build
export O
# Each test calls make by itself, with variables of its own. Only tests with sanitizers are built by clang, which has no
# -fgnu-tm.
unset MAKEFLAGS MFLAGS MAKELEVEL SAN RACE DEBUG
case ${CC:-} in *clang*) unset CC ;; esac
# The tests themselves are not to be profiled. Shell tests set libitm's method themselves (helpers/shell.inc).
unset STMLOG_OPTIONS STMLOG_LIBITM LD_PRELOAD ITM_DEFAULT_METHOD
log=$(mktemp)
results=$(mktemp)
trap 'rm -f "$log" "$results"' EXIT
trap 'exit 130' INT TERM

# is_wanted NAME: it contains the pattern.
is_wanted() {
	case $1 in *"$pattern"*) ;; *) return 1 ;; esac
}

# check SECONDS NAME COMMAND...: runs the command as a test, if its name is wanted.
check() {
	! is_wanted "$2" || sh tests/check.sh "$results" "$@"
}

# The tests that take longest. They begin first, so that none of them is left to run by itself in the end.
long='bank_stress|threads_stress|gather_stress|sequences_test|report_truth|diff_judge|sampling/sample_test'
long="$long|recording_test|weigh_test|house/circles|house/man|fuzz/short|models/"
long="$long|cli/(page|vendor|trace_processor|widths|statistics|scenes)\\.sh|libitm/(matrix|static|versions|stacks|conservation)\\.sh"

# side_by_side NAMES COMMAND...: runs the command for each of the names, with the name in place of {}.
side_by_side() {
	queue=$1
	shift
	{
		echo "$queue" | grep -E "$long"
		echo "$queue" | grep -vE "$long"
	} | xargs -P "$(nproc)" -I '{}' "$@"
}

# build_or_stop TARGET|VARIABLE=VALUE...: builds. If that fails it ends the run, since then no test means anything.
build_or_stop() {
	echo "building $(echo "$*" | cut -c 1-80)"
	make -j"$(nproc)" --no-print-directory WERROR=1 "$@" >"$log" 2>&1 && return
	cat "$log"
	echo "0 passed, 1 failed"
	exit 1
}

# ---- headers ----

# Each header is included twice, so that a wrong guard is an error. The declaration behind it is there because ISO C
# forbids a source file without any.
check_headers() {
	for header in include/stmlog/*.h; do
		inner=${header#include/}
		text="#include <$inner>\n#include <$inner>\nextern int one;\n"
		for language in c:c11:cc c++:c++17:c++; do
			rest=${language#*:}
			check 60 "$inner as ${rest%:*}" sh -c "printf '$text' | ${rest#*:} -std=${rest%:*} -pedantic-errors -Wall -Wextra \
				-Werror -Iinclude -fsyntax-only -x ${language%%:*} -"
		done
	done
	check 60 "stmlog.hpp as c++17" sh -c "printf '#include <stmlog/stmlog.hpp>\n#include <stmlog/stmlog.hpp>\n' | c++ -std=c++17 \
		-pedantic-errors -Wall -Wextra -Werror -Iinclude -fsyntax-only -x c++ -"
}

# ---- unit tests ----

all_tests() {
	find tests -name '*_test.c' | sort
}

# Tests that start threads, and tests of a source file that does.
threaded_tests() {
	for source in $(all_tests); do
		tested=${source#tests/}
		tested=${tested%_test.c}.c
		! grep -qs 'pthread_create\|peer_start\|run_in_thread\|parked_begin\|opponent_fixture\|bank_test\|model_test\|scenario_tests_add' "$source" "$tested" "runtimes/$tested" || echo "$source"
	done
}

# Tests whose threads do little else than race with each other.
stress_tests() {
	find tests -name '*_stress_test.c' | sort
}

# wanted_tests SUFFIX SOURCES: their names, without the suffix.
wanted_tests() {
	for source in $2; do
		name=${source#tests/}
		name=${name%.c}
		! is_wanted "$name$1" || echo "$name"
	done
}

# unit_tests VARIABLES DIRECTORY SUFFIX SECONDS SOURCES [COMMAND...]: builds the tests of these sources into the
# directory and runs each below the command.
unit_tests() {
	variables=$1 directory=$2 suffix=$3 seconds=$4
	names=$(wanted_tests "$suffix" "$5")
	shift 5
	[ -n "$names" ] || return 0
	# shellcheck disable=SC2046,SC2086 # no name has a blank, and there may be no variables
	build_or_stop $variables $(printf "$directory/tests/%s " $names)
	side_by_side "$names" sh tests/check.sh "$results" "$seconds" "{}$suffix" "$@" "$directory/tests/{}"
}

# By default valgrind may let one of its threads wait for ever while another one spins.
valgrind="valgrind --error-exitcode=9 --fair-sched=yes -q"
# glibc gives the stack of a thread that has ended to the next one, which the detectors of races take for a race.
race_valgrind="env GLIBC_TUNABLES=glibc.pthread.stack_cache_size=0 $valgrind"

. tests/helpers/sanitized.inc
# shellcheck disable=SC2086,SC2154 # $valgrind is several words, and $fixed
detectors() {
	unit_tests "" build " (valgrind)" 600 "$(all_tests)" $valgrind --leak-check=full --errors-for-leak-kinds=definite
	unit_tests "$sanitizing" $sanitized " (sanitizers)" 300 "$(all_tests)" $fixed
	unit_tests SAN=thread build/tsan " (thread sanitizer)" 300 "$(threaded_tests)" $fixed
	unit_tests RACE=1 build/race " (helgrind)" 300 "$(stress_tests)" $race_valgrind --tool=helgrind
	unit_tests RACE=1 build/race " (drd)" 300 "$(stress_tests)" $race_valgrind --tool=drd
}

# ---- shell tests ----

# is_alone NAME: this shell test needs all processors.
is_alone() {
	case $1 in
	bench/* | ghc/* | libitm/*) ! grep -q '^# Not alone: ' "tests/$1" ;;
	*) grep -q '^# Alone: ' "tests/$1" ;;
	esac
}

# shell_tests TARGETS SCRIPT...: builds the targets, if any of the scripts is wanted, and runs those that are.
shell_tests() {
	targets=$1
	shift
	names=$(for script in "$@"; do ! is_wanted "${script#tests/}" || echo "${script#tests/}"; done)
	[ -n "$names" ] || return 0
	# shellcheck disable=SC2086 # several targets
	build_or_stop $targets
	STMLOG_BUILT=1
	export STMLOG_BUILT
	others=$(for name in $names; do is_alone "$name" || echo "$name"; done)
	[ -z "$others" ] || side_by_side "$others" sh tests/check.sh "$results" 600 '{}' sh 'tests/{}'
	for name in $names; do
		! is_alone "$name" || check 600 "$name" sh "tests/$name"
	done
}

# ---- all of them ----

# What the quick tests need.
quick_targets="all tests build/bench/bank build/tests/helpers/jsonq"

check_quickly() {
	# shellcheck disable=SC2086 # several targets
	[ -n "$pattern" ] || build_or_stop $quick_targets
	check_headers
	shell_tests "$quick_targets" tests/house/*.sh
	unit_tests "" build "" 120 "$(all_tests)"
}

if [ -n "$quick" ]; then
	check_quickly
	shell_tests "$quick_targets" tests/libitm/demo.sh
else
	[ -n "$pattern" ] || build_or_stop all tests programs tm-programs micro
	check_quickly
	detectors
	# shellcheck disable=SC2046 # no name has a blank
	shell_tests "all programs tm-programs micro man" \
		$(find tests -name '*.sh' -path 'tests/*/*' ! -path 'tests/long/*' ! -path 'tests/house/*' | sort)
fi

# count passed|failed|skipped: how many tests have ended in this way.
count() {
	grep -c "^$1" "$results"
}

passed=$(count passed) failed=$(count failed) skipped=$(count skipped)
[ "$skipped" -eq 0 ] || echo "$skipped skipped"
[ $((passed + failed + skipped)) -gt 0 ] || echo "no test has '$pattern' in its name"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ $((passed + failed + skipped)) -gt 0 ]
