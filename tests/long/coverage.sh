#!/bin/sh
# SPDX-License-Identifier: MIT
#
# How many branches of the library and of the command the tests have taken, by folder. Builds with counters, runs the
# unit tests without the stress tests, and then the shell tests of tests/cli/ that claim something of the code as it is
# compiled here: without optimisation, and with counters in it.
#
# Ends with 1 if a folder is below 90 % and not in coverage.known, or below its figure there.
#
# What counts: each branch of base/, format/, traceback/, report/, stmlog/ and tools/, headers included. Requirements (base/check.h) are
# no branches, because this build has no STMLOG_CHECKS. Nothing else is left out: memory can be refused in tests
# (tests/support/), and so can what the system is asked for.
#
# On demand (make coverage).
# usage: sh tests/long/coverage.sh [--table]      --table: only the table, of the counters that are there

set -u
cd "$(dirname "$0")/../.." || exit 2
unset MAKEFLAGS MFLAGS MAKELEVEL SAN RACE DEBUG CC CFLAGS
unset STMLOG_OPTIONS STMLOG_LIBITM LD_PRELOAD
O=build/coverage
STMLOG_BUILT=1
export O STMLOG_BUILT

# Shell tests that read machine code, measure time, or test what others test; and last_words: counters are written at the
# end, which is a cancellation point of its own.
without='last_words|hooks_code|warm_hooks|interrupted|readers|vendor|install|cxx_header|twins|runtimes_readme|readme_|million|regression|statistics|trace_processor|usdt'

# run COMMAND...: says so if it fails. What the tests find is for `make test`; here it only explains a figure.
run() {
	"$@" >"$O/output" 2>&1 && return
	status=$?
	[ $status -eq 77 ] || { tail -3 "$O/output" && echo "coverage: status $status of $*"; }
}

# drop_damaged: a process that a test kills while it writes its counters damages a file of them, and from then on each
# process complains. Such files are removed: what was counted in them is missing, and what follows is counted anew.
drop_damaged() {
	$O/stmlog --version 2>&1 | sed -n 's/^libgcov profiling error:\(.*\.gcda\):.*/\1/p' | while read -r file; do
		echo "coverage: the counters of ${file##*/obj/} were damaged"
		rm -f "$file"
	done
}

measure() {
	make -s -j"$(nproc)" COVERAGE=1 all tests programs tm-programs || exit 1
	find $O -name '*.gcda' -delete
	find $O/tests -name '*_test' ! -name '*_stress_test' | sort | xargs -P "$(nproc)" -I '{}' \
		sh -c 'timeout -k 1 600 {} >/dev/null 2>&1 || echo "coverage: status $? of {}"'
	drop_damaged
	for script in $(find tests/cli -name '*.sh' | grep -Ev "/($without)" | sort); do
		run timeout -k 1 300 sh "$script"
		drop_damaged
	done
}

[ "${1:-}" = --table ] || measure
gcovr --root . --object-directory $O/obj --filter base/ --filter format/ --filter traceback/ --filter report/ --filter stmlog/ --filter tools/ \
	--exclude-unreachable-branches --json-summary $O/coverage.json -j "$(nproc)" $O/obj >$O/output 2>&1 || {
	tail $O/output
	exit 1
}
python3 tests/long/coverage.py $O/coverage.json tests/long/coverage.known
