#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A program that dies leaves its recording, and dies as it would have died without the profiler.

. "$(dirname "$0")/cli.inc"

program=$(realpath "$O/programs/O2/death")
ITM_DEFAULT_METHOD=ml_wt
export ITM_DEFAULT_METHOD
mkdir "$tmp/cores"

# status_of COMMAND...: prints how it has ended, as the shell says.
status_of() {
	status=0
	(cd "$tmp/cores" && timeout -k 1 60 "$@") >"$tmp/out" 2>"$tmp/err" || status=$?
	rm -f "$tmp/cores"/*
	echo $status
}

# died WAY STATUS: bare and recorded alike.
died() {
	same "how $1 ends" "$2" "$(status_of "$program" "$1")"
	same "how $1 ends, recorded" "$2" "$(status_of "$stmlog" record -o "$tmp/data" --no-report -- "$program" "$1")"
}

# left SIGNAL: the recording is whole, has all transactions, and says how the program has ended.
left() {
	run 0 "$stmlog" check "$tmp/data"
	run 0 "$stmlog" report --json "$tmp/data"
	same "commits" 2000 "$(jsonq "$tmp/out" .totals.commits)"
	same "snapshot" false "$(jsonq "$tmp/out" .ending.snapshot)"
	same "signal" "$1" "$(jsonq "$tmp/out" .ending.signal)"
	rm "$tmp/data"
}

for way in "segv 11" "fpe 8" "ill 4" "bus 7" "abort 6" "quit 3" "term 15" "kill 9" "xcpu 24" "overflow 11" "memory 6"; do
	died "${way% *}" $((128 + ${way#* }))
	left "${way#* }"
done
claim "whatever signal ends a program, its recording is whole, and has its number"

died handled 3
left null
claim "a handler of the program's is left alone"

died leave 4
left null
claim "a program that ends by a system call leaves its recording"

died in-exit 143
run 0 "$stmlog" check "$tmp/data"
claim "a signal in an exit handler is not swallowed"

died in-child 11
run 0 "$stmlog" check "$tmp/data"
run 0 "$stmlog" report --json "$tmp/data"
same "commits of parent and child" "2000 1000" "$(jsonq "$tmp/out" '.processes[].commits' | paste -sd ' ')"
claim "so does a forked child that transacts"

program=$(realpath "$O/programs/O2/dies_early")
run 137 "$stmlog" record -o "$tmp/data" --no-report -- "$program"
run 0 "$stmlog" check "$tmp/data"
run 0 "$stmlog" report --json "$tmp/data"
same "commits" 1001 "$(jsonq "$tmp/out" .totals.commits)"
claim "a thread does not transact before the process that saves its transactions runs"

program=$(realpath "$O/programs/O2/dies_in_loader")
run 137 timeout 30 "$stmlog" record -o "$tmp/data" --no-report -- "$program"
run 0 "$stmlog" check "$tmp/data"
run 0 "$stmlog" report --json "$tmp/data"
same "commits" 1000 "$(jsonq "$tmp/out" .totals.commits)"
same "where they begin" main "$(jsonq "$tmp/out" '.by_transaction[0].place.function')"
claim "a thread that dies with the dynamic linker's lock holds up no recording"
