#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `stmlog record --runs` records that many runs, each into a file of its own, of one program or of two programs in
# turns. A run that fails ends the series. No existing file is overwritten.

. "$(dirname "$0")/cli.inc"

bank=$PWD/$O/bench/bank
runs=$tmp/runs

# files: the names in the directory
files() {
	ls -A "$runs" | tr '\n' ' '
}

has_files() {
	[ "$(files)" != "" ]
}

# told FILE: the line about the run that was recorded into FILE
told() {
	number='[0-9][0-9.,]*'
	grep -q "^stmlog: $runs/$1: $number [mun]*s, $number aborts per transaction, lost .*$number [mun]*s" "$tmp/err" ||
		fail "no line of $1: $(cat "$tmp/err")"
}

run 0 "$stmlog" record --runs=3 -o "$runs" -- "$bank" --threads=2 --operations=2000
same "files" "run-1.data run-2.data run-3.data " "$(files)"
same "lines on stderr" 5 "$(wc -l <"$tmp/err")"
for i in 1 2 3; do
	told "run-$i.data"
done
same "what the programs printed" 3 "$(grep -c '^checksum ok$' "$tmp/out")"
next="stmlog merge -o $runs/all.data $runs/run-*.data && stmlog report $runs/all.data"
same "last line" "Recordings: $runs  Next: $next" "$(tail -n 1 "$tmp/err")"
run 0 sh -c "PATH=$(dirname "$stmlog"):\$PATH; $next"
says ": stmlog report $runs/all.data --full"
run 0 "$stmlog" report --full "$runs/all.data"
says "(3 runs)"
run 0 "$stmlog" check "$runs"/*
claim "each run has a file and a line of its own, and the program's output goes where it goes"

rm -r "$runs"
run 0 "$stmlog" record --runs=10 --no-report --sample=1 -o "$runs" "$bank" --threads=1 --operations=10
silent
same "files" 10 "$(ls "$runs" | wc -l)"
same "first" run-01.data "$(ls "$runs" | head -n 1)"
for file in "$runs"/*; do
	"$stmlog" report --json "$file" >"$tmp/json"
	same "commits in $file" 10 "$(jsonq "$tmp/json" .totals.commits)"
	same "sample of $file" 1 "$(jsonq "$tmp/json" .sample.every)"
done
claim "numbers are as wide as the last one, so that names sort, and options hold for each run"

# Each run is of a script that appends its name to a file: the order of the runs.
mkdir "$tmp/a" "$tmp/b"
for side in a b; do
	printf '#!/bin/sh\necho %s "$@" >>"%s/order"\nexec "%s" --threads=1 --operations="$1"\n' \
		$side "$tmp" "$bank" >"$tmp/$side/program"
	chmod +x "$tmp/$side/program"
done
rm -r "$runs"
run 0 "$stmlog" record --runs=2 -o "$runs" --vs "$tmp/b/program" -- "$tmp/a/program" 20
same "order" "a 20 b 20 b 20 a 20 " "$(tr '\n' ' ' <"$tmp/order")"
same "files" "new-1.data new-2.data old-1.data old-2.data " "$(files)"
same "first line" "stmlog: $runs: old is $tmp/a/program, new is $tmp/b/program; they take turns" "$(head -n 1 "$tmp/err")"
for name in old-1 old-2 new-1 new-2; do
	told "$name.data"
done
page=
! has_page || page="--html=$runs/diff.html "
same "last line" "Recordings: $runs  Next: stmlog diff $page$runs/old-*.data -- $runs/new-*.data" "$(tail -n 1 "$tmp/err")"
claim "with --vs two programs take turns, and it says which is which"
grep -q '^OLD 2 runs, NEW 2 runs: ' "$tmp/err" || fail "no comparison: $(cat "$tmp/err")"
grep -q '^cannot decide: fewer than 4 runs' "$tmp/err" || fail "no verdict: $(cat "$tmp/err")"
claim "and it ends with how they compare"

: >"$tmp/order"
rm "$runs/old-1.data" "$runs/old-2.data" "$runs/new-1.data"
before=$(cksum <"$runs/new-2.data")
run 2 "$stmlog" record --runs=10 -o "$runs" --vs "$tmp/b/program" -- "$tmp/a/program" 20
one_line "$runs: has a series already (new-2.data)"
same "programs run" "" "$(cat "$tmp/order")"
same "files" "new-2.data " "$(files)"
same "the file" "$before" "$(cksum <"$runs/new-2.data")"
claim "a series does not mix with the files of another one, and nothing is run"

rm -r "$runs"
printf '#!/bin/sh\necho x >>"%s/count"\n[ "$(wc -l <"%s/count")" -lt 3 ] || exit 5\nexec "%s" --threads=1 --operations=10\n' \
	"$tmp" "$tmp" "$bank" >"$tmp/third"
chmod +x "$tmp/third"
run 5 "$stmlog" record --runs=9 --no-report -o "$runs" "$tmp/third"
one_line "$runs/run-3.data: this run failed with status 5 and ends the series"
same "runs" 3 "$(wc -l <"$tmp/count")"
same "files" "run-1.data run-2.data " "$(files)"
claim "the first run that fails is the last one, with its status, and leaves no file"

rm -r "$runs"
run 137 "$stmlog" record --runs=4 -o "$runs" sh -c 'kill -KILL $$'
one_line "failed with status 137"
run 127 "$stmlog" record --runs=4 -o "$runs" ./no-such-program
one_line "cannot be run"
run 127 "$stmlog" record --runs=4 --no-report -o "$runs" --vs ./no-such-program "$bank" --threads=1 --operations=10
one_line "./no-such-program: cannot be run"
same "files" "old-1.data " "$(files)"
rm -r "$runs"
run 2 "$stmlog" record --runs=4 -o "$runs" true
one_line "nothing was recorded"
same "files" "" "$(files)"
claim "so is one that cannot be run, is killed, or has nothing to record"

"$stmlog" record --runs=3 --no-report -o "$runs" -- "$bank" --seconds=60 >"$tmp/out" 2>"$tmp/err" &
series=$!
wait_for has_files
sleep 0.5
kill -TERM $series
status=0
wait $series || status=$?
same "exit status when terminated" 143 "$status"
one_line "run-1.data: this run was ended by signal 15, and so is the series"
same "files" "" "$(files)"
claim "a signal ends the series, and nothing is left of the run"

for options in --runs=0 --runs=10000 --runs=-1 --runs=some --runs=; do
	run 2 "$stmlog" record $options true
	one_line "a number from 1 to 9999"
done
run 2 "$stmlog" record --vs "$bank" "$bank"
one_line "add --runs=10"
run 2 "$stmlog" record --runs=2 -o "$bank" true
one_line "$bank: cannot be made a directory"
run 2 "$stmlog" record --runs=2 -o "$tmp/no/where" true
one_line "$tmp/no/where: cannot be made a directory"
claim "what cannot be done is refused in one line before anything is run"
