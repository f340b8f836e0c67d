#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Recordings of programs that outlive `stmlog record`, and of programs that may not write files any more: none is lost
# without a word, and every word is true.

. "$(dirname "$0")/cli.inc"

program=$(realpath "$O/programs/O2/outlives")
mkdir "$tmp/job"
data=$tmp/job/data

# commits FILE N
commits() {
	run 0 "$stmlog" check "$1"
	run 0 "$stmlog" report --json "$1"
	same "commits in $1" "$2" "$(jsonq "$tmp/out" .totals.commits)"
}

# is_whole WAY [early]: as if the program could write.
is_whole() {
	run 0 timeout -k 1 60 "$stmlog" record --no-report -o "$data" -- "$program" "$@"
	same "what stmlog says of $*" "" "$(cat "$tmp/err")"
	commits "$data" 100
	"$stmlog" info "$data" >"$tmp/info"
	grep -q "^program *$program$" "$tmp/info" || fail "$*: the program is not known: $(cat "$tmp/info")"
	rm "$data"
}

for way in descriptors sizes; do
	is_whole $way
	is_whole $way early
done
claim "a program without a free descriptor is recorded, or one that may not write to files"

if [ "$(id -u)" = 0 ]; then
	unshare -m true 2>"$tmp/err" && mounts=mounts || echo "skipped: no right to mount: $(cat "$tmp/err")"
	for way in privileges elsewhere ${mounts:-}; do
		is_whole $way
		is_whole $way early
	done
	is_whole all early
	rm -rf /tmp/stmlog-outlives-??????
	claim "so is one that has dropped its privileges, or has changed its root directory, or has another /tmp, at any time"

	for_everybody "$O/programs/O2/counters"
	# shellcheck disable=SC2016,SC2086 # $nobody is words
	run 0 timeout -k 1 60 "$everybodys/stmlog" record --no-report -o "$data" -- $nobody sh -c '"$0" 1; exec "$0" 2' \
		"$everybodys/counters"
	same "what stmlog says" "" "$(cat "$tmp/err")"
	commits "$data" 3000
	rm "$data"
	claim "so are programs that begin when the privileges are dropped already"
else
	echo "skipped: only root can drop privileges and change the root directory"
fi

if unshare -r -p -f true 2>/dev/null; then
	# shellcheck disable=SC2016
	run 0 timeout -k 1 60 "$stmlog" record --no-report -o "$data" -- sh -c '
		unshare -r -p -f "$0" 1; unshare -r -p -f "$0" 2; unshare -r -p -f "$0" 3 & unshare -r -p -f "$0" 4 & wait
	' "$(realpath "$O/programs/O2/counters")"
	same "what stmlog says" "" "$(cat "$tmp/err")"
	commits "$data" 10000
	same "processes" "1 1000 1 2000 1 3000 1 4000" "$(jsonq "$tmp/out" '.processes[].pid' '.processes[].commits' |
		sort | paste -sd ' ')"
	rm "$data"
	run 0 timeout -k 1 60 "$stmlog" record --no-report -o "$data" -- unshare -r -p -f "$program" leaving
	same "what stmlog says" "" "$(cat "$tmp/err")"
	commits "$data" 100
	rm "$data"
	claim "so are the first processes of PID namespaces, which all have the number 1"
else
	echo "skipped: this user can make no PID namespace"
fi

run 0 timeout -k 1 60 "$stmlog" record -o "$data" --no-report -- "$program" daemon "$tmp/job/data.??????"
daemon=$(sed -n "s/^stmlog: .*: process \([0-9]*\) goes on; when it ends, its recording will be $(echo "$data" |
	sed 's/[.\/]/\\&/g')\.\1$/\1/p" "$tmp/err")
[ -n "$daemon" ] || fail "record does not say which process goes on: $(cat "$tmp/err")"
wait_for grep -q . "$data.$daemon"
wait_for sh -c "! kill -0 $daemon"
commits "$data" 100
commits "$data.$daemon" 200
same "what is left" "data data.$daemon" "$(ls -A "$tmp/job" | tr '\n' ' ' | sed 's/ $//')"
rm "$tmp/job"/*
claim "a process that outlives record leaves its recording beside the other one"

# The shell that waits for record would print that it was killed.
(timeout -k 1 60 "$stmlog" record -o "$data" --no-report -- "$program" recorder) >"$tmp/out" 2>&1 || true
wait_for sh -c "ls $tmp/job/data.??????/[0-9]*"
left=$(basename "$(ls -d "$tmp/job"/data.??????/[0-9]*)")
left=${left%-*}
wait_for sh -c "! kill -0 $left"
run 0 timeout -k 1 60 "$stmlog" record -o "$data" --no-report -- "$program" daemon "$tmp/none"
grep -q "^stmlog: .*data\.$left: is a recording that was found" "$tmp/err" || fail "$(cat "$tmp/err")"
commits "$data.$left" 100
same "directories that are left" "" "$(find "$tmp/job" -mindepth 1 -type d)"
claim "the next record adopts what a killed one has left, and removes the rest"

# The file of the board is the program's: `record` must not rely on its length.
# shellcheck disable=SC2016
run 0 timeout -k 1 60 "$stmlog" record -o "$data" --no-report -- \
	sh -c '"$0" 2 && truncate -s 0 "$1".??????/.board' "$O/programs/O2/counters" "$data"
commits "$data" 2000
claim "a program that empties its board leaves its recording all the same"
