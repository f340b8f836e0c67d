#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Looks for faults without running anything: all that clang can build, with its warnings as errors; the product by
# gcc -fanalyzer; the product by clang-tidy, with the checks of .clang-tidy; the product by cppcheck, with the
# suppressions of cppcheck.known. "The product" is what the build makes of base/, format/, traceback/, report/, stmlog/,
# runtimes/, examples/ and tools/, without generated code. Each finding is an error: it is mended, or silenced where it is, with a
# reason.
#
# On demand (make lint).
# usage: sh tests/long/lint.sh [clang|analyzer|tidy|cppcheck]...      all by default

set -u
cd "$(dirname "$0")/../.." || exit 2
unset MAKEFLAGS MFLAGS MAKELEVEL SAN RACE DEBUG CC CFLAGS
jobs=$(nproc)
status=0

# part NAME COMMAND...: says which part it is, runs it, and remembers if it fails.
part() {
	echo "lint: $1"
	shift
	"$@" || status=1
}

build_with_clang() {
	make -s -j"$jobs" CC=clang WERROR=1 all tests programs tm-programs micro
}

# Each source once, with the path-sensitive analysis of gcc.
analyze() {
	make -s -j"$jobs" -k O=build/analyzer WERROR=1 \
		CFLAGS='-O2 -g -fanalyzer -fdiagnostics-path-format=none' all
}

# The compile commands of the product, from what make would do. Their paths are those of the build by clang, which has
# the headers that are generated.
write_commands() {
	make -s -j"$jobs" CC=clang all || return 1
	mkdir -p build/lint
	make -Bn V=1 CC=clang all | awk -v directory="$PWD" '
		/^clang .* -c -o / && $NF !~ /^(build|tests|bench)\// && $NF ~ /\.c$/ && !had[$NF]++ {
			gsub(/[\\"]/, "\\\\&")
			printf "%s{\"directory\": \"%s\", \"file\": \"%s\", \"command\": \"%s\"}", count++ ? ",\n" : "[\n", directory, $NF, $0
			print $NF >"build/lint/files"
		}
		END { print "\n]" }' >build/lint/compile_commands.json
	[ "$(wc -l <build/lint/files)" -gt 300 ]
}

tidy() {
	write_commands || return 1
	# What it says on stderr are counts of what is not shown.
	xargs -P "$jobs" -n 4 clang-tidy --quiet -p build/lint <build/lint/files 2>build/lint/counts
}

check() {
	write_commands || return 1
	cppcheck --quiet -j "$jobs" --project=build/lint/compile_commands.json --enable=warning,performance,portability \
		--library=posix,gnu --inline-suppr --suppressions-list=tests/long/cppcheck.known --error-exitcode=1 \
		--template='{file}:{line}: {severity}: {message} [{id}]'
}

[ $# -gt 0 ] || set -- clang analyzer tidy cppcheck
for name in "$@"; do
	case $name in
	clang) part "build by clang" build_with_clang ;;
	analyzer) part "gcc -fanalyzer" analyze ;;
	tidy) part "clang-tidy" tidy ;;
	cppcheck) part "cppcheck" check ;;
	*) echo "lint.sh: no part $name" && exit 2 ;;
	esac
done
[ $status -eq 0 ] && echo "lint: nothing found" || echo "lint: see above" >&2
exit $status
