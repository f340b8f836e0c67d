#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A program that dies leaves its recording, and dies as it would have died without the profiler.

. "$(dirname "$0")/cli.inc"

program=$(realpath "$O/programs/O2/death")
ITM_DEFAULT_METHOD=ml_wt
export ITM_DEFAULT_METHOD
mkdir "$tmp/cores"

# died WAY [PATTERN]: bare and recorded alike. How, is in $tmp/bare. A bare run leaves no file to wait for.
died() {
	mkdir "$tmp/data.bare"
	touch "$tmp/data.bare/1"
	(cd "$tmp/cores" && timeout -k 1 60 "$program" with "$@") >"$tmp/bare" 2>"$tmp/err"
	rm -r "$tmp/data.bare"
	(cd "$tmp/cores" && timeout -k 1 60 "$stmlog" record -o "$tmp/data" --no-report -- "$program" with "$@") \
		>"$tmp/out" 2>"$tmp/err"
	same "how $* ends" "$(cat "$tmp/bare")" "$(cat "$tmp/out")"
	rm -f "$tmp/cores"/*
}

# left SNAPSHOT SIGNAL: the recording is whole, has all transactions, and says how it was made.
left() {
	run 0 "$stmlog" check "$tmp/data"
	run 0 "$stmlog" report --json "$tmp/data"
	same "commits" 2000 "$(jsonq "$tmp/out" .totals.commits)"
	same "snapshot" "$1" "$(jsonq "$tmp/out" .ending.snapshot)"
	same "signal" "$2" "$(jsonq "$tmp/out" .ending.signal)"
	rm "$tmp/data"
}

for way in "segv 11" "fpe 8" "ill 4" "bus 7" "abort 6" "quit 3" "term 15"; do
	died "${way% *}"
	grep -q "^signal ${way#* }" "$tmp/bare" || fail "$way: $(cat "$tmp/bare")"
	left false "${way#* }"
done
claim "a fault, abort() and a signal that ends the program leave its recording, and the program dies of them"

died handled
same "how it ends" "status 3" "$(cat "$tmp/out")"
left false null
claim "a handler of the program's is left alone"

for way in overflow leave kill; do
	died $way "$tmp/data.*/[0-9]*"
	[ "$way" = leave ] || grep -q "^signal" "$tmp/bare" || fail "$way: $(cat "$tmp/bare")"
	left true null
done
claim "a program that cannot say a last word leaves its last snapshot"

died in-exit
same "how it ends" "signal 15" "$(cat "$tmp/out")"
run 0 "$stmlog" check "$tmp/data"
claim "a signal in an exit handler is not swallowed"

died in-child
run 0 "$stmlog" report --json "$tmp/data"
same "commits of the parent" 2000 "$(jsonq "$tmp/out" .totals.commits)"
mv "$tmp"/data.[0-9]* "$tmp/child"
run 0 "$stmlog" check "$tmp/child"
run 0 "$stmlog" report --json "$tmp/child"
same "commits of the child" 1000 "$(jsonq "$tmp/out" .totals.commits)"
same "signal" 11 "$(jsonq "$tmp/out" .ending.signal)"
claim "so does a forked child that transacts"
