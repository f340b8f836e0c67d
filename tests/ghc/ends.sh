#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The recording is complete when the process image is left without exit handlers, by exec, _exit or a signal, and each
# image has its own. The program behaves as it does without the module.

. "$(dirname "$0")/ghc.inc"

# left WAY STATUS COMMITS: those of each process, sorted. WAY may be two words.
left() {
	status=0
	rm -f "$tmp"/data*
	# shellcheck disable=SC2086
	"$stmlog" record -o "$tmp/data" --no-report --sample=1 "$tmp/ends-$form" 10 $1 >"$tmp/printed" 2>"$tmp/err" ||
		status=$?
	same "$way, $form, $1: exit status" "$2" "$status"
	for file in "$tmp"/data*; do
		"$stmlog" check "$file" >"$tmp/checked" || fail "$1: $(cat "$tmp/checked")"
		"$stmlog" report --json "$file" >"$tmp/report"
		jsonq "$tmp/report" '.processes[].commits'
	done | sort -n | paste -s -d ' ' >"$tmp/commits"
	same "$way, $form, $1: commits" "$3" "$(cat "$tmp/commits")"
}

killed() {
	left "signal $1" $((128 + $1)) 10
	same "$way, $form: the signal" "$1 false" "$(jsonq "$tmp/report" .ending.signal) $(jsonq "$tmp/report" .ending.snapshot)"
}

# Each signal that ends a process by default. The program survives those that the RTS handles or blocks, or that the
# caller ignores, as it does without the module.
signals() {
	for signal in 1 2 3 4 5 6 7 8 10 11 12 13 14 15 24 25 26 27 29 30 31; do
		status=0
		"$tmp/ends-$form" 10 signal $signal >"$tmp/bare" 2>"$tmp/err" || status=$?
		if [ $status -eq 0 ]; then
			left "signal $signal" 0 15
		else
			same "$form, signal $signal: status without the module" $((128 + signal)) $status
			killed $signal
		fi
		same "$form, signal $signal: output" "$(cat "$tmp/bare")" "$(cat "$tmp/printed")"
	done
}

# interrupted LINES: Ctrl-C, when the program has said this many lines. Each line but the first stands for 1,000 commits.
interrupted() {
	rm -f "$tmp"/data*
	env --default-signal=INT setsid "$stmlog" record -o "$tmp/data" --no-report --sample=1 \
		"$tmp/ends-$form" 10 until-interrupted >"$tmp/said" 2>"$tmp/err" &
	group=$! status=0
	exec 3<"$tmp/said"
	for line in $(seq "$1"); do
		read -r said <&3 || fail "$form: it ended before line $line: $(cat "$tmp/err")"
	done
	kill -s INT -- -$group
	wait $group || status=$?
	exec 3<&-
	same "interrupted after $1 lines: status" 130 $status
	"$stmlog" check "$tmp/data" >"$tmp/checked" || fail "interrupted after $1 lines: $(cat "$tmp/checked")"
	"$stmlog" report --json "$tmp/data" >"$tmp/report"
	same "the signal" "2 false" "$(jsonq "$tmp/report" .ending.signal) $(jsonq "$tmp/report" .ending.snapshot)"
	[ "$(jsonq "$tmp/report" .totals.commits)" -ge $((10 + 1000 * ($1 - 1))) ] || fail "$form: commits are missing"
}

for way in linked preloaded; do
	for form in threaded single; do
		haskell "$form" ends -package unix -package process
		left now 3 "10"
		left exec 0 "10 20"
		left interrupt 130 15
		same "$way, $form: the signal" "2 false" "$(jsonq "$tmp/report" .ending.signal) $(jsonq "$tmp/report" .ending.snapshot)"
		killed 9
		[ "$way" = linked ] || signals
	done
	for each in exec-sought exec-variables exec-both; do
		left "$each" 0 "10 20"
	done
	left exec-twice 0 "10 20 30"
	left exec-fails 0 "15"
	grep -q '/no/such/file: executeFile: does not exist' "$tmp/printed" || fail "errno: $(cat "$tmp/printed")"
	left child 0 "10 20 40"
	left process 0 "15 20"
done

mkfifo "$tmp/said"
for form in threaded single; do
	for lines in 1 2 100; do
		interrupted $lines
	done
done

(ulimit -f 0 && exec "$stmlog" record -o "$tmp/small" "$tmp/ends-single" 20) 2>&1 >/dev/null | cat >"$tmp/lines"
same "lines where no file may grow" 2 "$(grep -c 'allow the process larger files (ulimit -f)$' "$tmp/lines")"
same "all lines" 2 "$(wc -l <"$tmp/lines")"

# A stack that the RTS can do with.
(ulimit -s 160 && recorded "$tmp/small" "$tmp/ends-single" 20)
