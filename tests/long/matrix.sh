#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The scenes of tests/cli/scenes.sh, many times, at -O0 and -O2, with libitm's other methods for several threads, and
# with each size of memory that may be left when a thread begins. Then forks, and the scenes of a Haskell program.
#
# On demand (make matrix): some twenty minutes.
# usage: sh tests/long/matrix.sh [ROUNDS]

. "$(dirname "$0")/../cli/cli.inc"
. tests/cli/scenes.inc

rounds=${1:-10}
for round in $(seq "$rounds"); do
	for method_wanted in ml_wt gl_wt serialirr serialirr_onwrite; do
		ITM_DEFAULT_METHOD=$method_wanted
		play_all O0
		play_all O2
		echo "round $round, $method_wanted: $scenes scenes at each level"
	done
done
claim "in $rounds rounds each scene ends as without the profiler"

# The profiler needs memory, too, which libitm then may lack: it ends the program.
starved=0
differs() {
	echo "wrong: $*"
	wrongs=$((wrongs + 1))
}
wrong() {
	case $* in
	*"> stderr: libitm: Out of memory"*) starved=$((starved + 1)) ;;
	*) differs "$@" ;;
	esac
}

ITM_DEFAULT_METHOD=ml_wt
sizes=0
kib=8
while [ "$kib" -le 8192 ]; do
	SCENE_KIB=$kib
	export SCENE_KIB
	play "$PWD/$O/programs/O2/scenes_scarce" little-memory
	sizes=$((sizes + 1))
	kib=$((kib + 8 + kib / 8))
done
[ $wrongs -eq 0 ] || fail "$wrongs differ"
echo "runs that libitm ended for want of memory, of $((3 * sizes)) with $sizes sizes: $starved"
[ $starved -le $sizes ] || fail "libitm lacks memory too often"
claim "whatever memory is left, the program ends as without the profiler, or libitm ends it for want of memory"

cc -O2 -fgnu-tm -pthread -o "$tmp/fork_hangs" tests/long/fork_hangs.c
bare=0 recorded=0
for round in 1 2 3; do
	more=$("$tmp/fork_hangs" 1500)
	bare=$((bare + more))
	more=$(LD_PRELOAD="$agent" STMLOG_OPTIONS=report=none "$tmp/fork_hangs" 1500)
	recorded=$((recorded + more))
done
echo "children that hang in libitm, of 4500: bare $bare, recorded $recorded"
[ $recorded -le $((2 * bare + 5)) ] || fail "forked children hang more often than bare"
claim "forked children hang in libitm about as often as without the profiler, or less often"

make -s build/tests/stmlog/life/fork_handlers_test
# The figures of all threads that have ended stay, so each fork of a process takes longer than the one before.
for process in $(seq 100); do
	build/tests/stmlog/life/fork_handlers_test 100 >"$tmp/forks" 2>&1 ||
		fail "process $process: a fork with handlers that transact: $(cat "$tmp/forks")"
done
claim "100 processes fork 100 times while others transact, and their fork handlers, too: none hangs, all is counted"

status=0
sh tests/ghc/scenes.sh "$rounds" || status=$?
case $status in 0 | 77) ;; *) fail "the scenes of a Haskell program" ;; esac
claim "in $rounds rounds a Haskell program ends as without the module"
