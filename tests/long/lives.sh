#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A million threads, each of which lives for a random sequence of hooks and ends anywhere, are counted without a fault:
# tests/stmlog/life/lives_stress_test.c, as it is and with the address sanitizer and all checks of the library's own.
#
# On demand (make lives): some fifteen minutes.
# usage: sh tests/long/lives.sh [LIVES [SEED]]

set -eu
cd "$(dirname "$0")/../.."
lives=${1:-1000000}
seed=${2:-$(date +%s)}
# shellcheck source=tests/helpers/sanitized.inc
. tests/helpers/sanitized.inc
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# play NAME COMMAND...: plays the lives by this build of the test.
play() {
	echo "$1, seed $seed"
	shift
	"$@" "$lives" "$seed" >"$log" 2>&1 || {
		cat "$log"
		exit 1
	}
	grep "each counted" "$log"
}

make -s -j"$(nproc)" build/tests/stmlog/life/lives_stress_test
# shellcheck disable=SC2086 # several variables
make -s -j"$(nproc)" $sanitizing $sanitized/tests/stmlog/life/lives_stress_test
play "as it is" build/tests/stmlog/life/lives_stress_test
# shellcheck disable=SC2086 # $fixed is two words, or none
play "with sanitizers" $fixed $sanitized/tests/stmlog/life/lives_stress_test
