#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A short run of the fuzz targets, with any compiler: small recordings, and every input that ever failed
# (tests/fuzz/found), and some thousand changes of them, the same ones in each run. Limits as in tests/long/fuzz.sh.

. "$(dirname "$0")/../helpers/shell.inc"

# shellcheck source=tests/helpers/sanitized.inc
. tests/helpers/sanitized.inc
# shellcheck disable=SC2086 # several variables
make -s -j2 $sanitizing fuzz-replays
fuzz=$sanitized/fuzz
mkdir "$tmp/seeds"
$fuzz/seeds "$tmp/seeds"
record "$tmp/seeds/hostile" --timeline -- "$O/tests/helpers/hostile"
record "$tmp/seeds/tasks" --timeline -- "$O/tests/helpers/tasks" >/dev/null
[ ! -d tests/fuzz/found ] || cp tests/fuzz/found/* "$tmp/seeds"

# replay TARGET EXECUTIONS
replay() {
	# shellcheck disable=SC2086 # $fixed is several words, or none
	ASAN_OPTIONS=quarantine_size_mb=4:hard_rss_limit_mb=512 $fixed $fuzz/"$1"_replay "$tmp/last" "$2" \
		"$tmp"/seeds/* && return
	cp "$tmp/last" build/fuzz-failed
	fail "$1: the input is in build/fuzz-failed"
}

replay read 100000
echo "ok - the reader"
replay views 10000
echo "ok - all commands and formats"
