#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The recording is complete when the process image is left without exit handlers, by exec, _exit or a signal, and each
# image has its own. The program behaves as it does without the module.

. "$(dirname "$0")/ghc.inc"

# left WAY STATUS COMMITS: those of each file, sorted.
left() {
	status=0
	rm -f "$tmp"/data*
	"$stmlog" record -o "$tmp/data" --no-report --sample=1 "$tmp/ends-$form" 10 "$1" >"$tmp/printed" 2>"$tmp/err" ||
		status=$?
	same "$way, $form, $1: exit status" "$2" "$status"
	for file in "$tmp"/data*; do
		"$stmlog" check "$file" >"$tmp/checked" || fail "$1: $(cat "$tmp/checked")"
		"$stmlog" report --json "$file" >"$tmp/report"
		jsonq "$tmp/report" .totals.commits
	done | sort -n | paste -s -d ' ' >"$tmp/commits"
	same "$way, $form, $1: commits" "$3" "$(cat "$tmp/commits")"
}

for way in linked preloaded; do
	for form in threaded single; do
		haskell "$form" ends -package unix -package process
		left now 3 "10"
		left exec 0 "10 20"
		left interrupt 130 15
		same "$way, $form: the signal" "2 false" "$(jsonq "$tmp/report" .ending.signal) $(jsonq "$tmp/report" .ending.snapshot)"
		for signal in "killed 9" "limited 24"; do
			left "${signal% *}" $((128 + ${signal#* })) 10
			same "$way, $form: the signal" "${signal#* } false" \
				"$(jsonq "$tmp/report" .ending.signal) $(jsonq "$tmp/report" .ending.snapshot)"
		done
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

# A stack that the RTS can do with.
(ulimit -s 160 && recorded "$tmp/small" "$tmp/ends-single" 20)
