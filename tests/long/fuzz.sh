#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Fuzzes the readers of recordings with what `make fuzz` has built: a fifth of the time the views (all commands, all
# formats), and otherwise the reader alone, which is faster. An input fails that crashes, takes more than a second of
# the processor or more than 512 MB, or makes an output that is not neutral (tests/support/neutral.h). Failing inputs
# are in build/fuzzer/found afterwards; run one by `build/fuzzer/fuzz/views FILE`.
#
# Inputs that reach new code are kept in build/fuzzer/corpus and used by later runs. Exit status: 0 if no input failed.
# usage: sh tests/long/fuzz.sh MINUTES JOBS

set -u
cd "$(dirname "$0")/../.." || exit 2
minutes=$1 jobs=$2
fuzzer=build/fuzzer
found=$fuzzer/found
# An execution makes few allocations. Small quarantines and short tracebacks of them make it faster.
export ASAN_OPTIONS=quarantine_size_mb=4:max_malloc_fill_size=0:malloc_context_size=3
export STMLOG_FUZZ_COUNT=$fuzzer/executions
unset STMLOG_OPTIONS STMLOG_LIBITM LD_PRELOAD
mkdir -p $fuzzer/seeds $fuzzer/corpus/read $fuzzer/corpus/views $found

# Small recordings: some that the tests make, and some of programs, with timelines.
seed() {
	$fuzzer/fuzz/seeds $fuzzer/seeds
	build/stmlog record --no-report --timeline -o $fuzzer/seeds/hostile -- build/tests/helpers/hostile
	build/stmlog record --no-report --timeline -o $fuzzer/seeds/tasks -- build/tests/helpers/tasks
	ITM_DEFAULT_METHOD=ml_wt build/stmlog record --no-report --timeline -o $fuzzer/seeds/bank -- \
		build/bench/bank --threads=2 --operations=5 >/dev/null
}

# fuzz TARGET SECONDS LOG: goes on after a finding, with what is left of the time, up to ten times.
fuzz() {
	target=$1 log=$3
	end=$(($(date +%s) + $2))
	for turn in 1 2 3 4 5 6 7 8 9 10; do
		left=$((end - $(date +%s)))
		[ $left -gt 0 ] || return 0
		echo "turn $turn" >>"$log"
		$fuzzer/fuzz/"$target" -max_total_time=$left -artifact_prefix=$found/"$target"- -dict=$fuzzer/fuzz/dictionary \
			-max_len=8192 -timeout=60 -rss_limit_mb=512 -reload=30 -print_final_stats=1 -verbosity=1 \
			$fuzzer/corpus/"$target" $fuzzer/seeds $fuzzer/corpus/read >>"$log" 2>&1 && return 0
	done
}

# executions: of all runs.
executions() {
	[ -e $STMLOG_FUZZ_COUNT ] && od -An -t u8 -N 8 $STMLOG_FUZZ_COUNT | tr -d ' ' || echo 0
}

# both JOB: what one job does.
both() {
	fuzz views $((minutes * 60 / 5)) $fuzzer/views-"$1".log
	fuzz read $((minutes * 60 - minutes * 60 / 5)) $fuzzer/read-"$1".log
}

seed
before=$(executions)
failed=$(find $found -type f | wc -l)
job=0
while [ $job -lt "$jobs" ]; do
	job=$((job + 1))
	both $job &
done
wait
after=$(executions)
failed=$(($(find $found -type f | wc -l) - failed))
echo "$((after - before)) executions in $minutes minutes, $after in all runs; $failed inputs failed"
[ $failed -eq 0 ] || find $found -type f
[ $failed -eq 0 ]
