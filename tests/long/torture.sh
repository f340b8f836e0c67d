#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Kills a contended program that is recorded, or the recorder, at a random moment, again and again. Each file that is left
# must be whole, nothing temporary may be left after the next start, and no more than one commit of each thread may be
# missing.
#
# On demand (make torture): some two seconds for each round. The figures of all rounds are printed.
# usage: sh tests/long/torture.sh [ROUNDS [SEED]]

. "$(dirname "$0")/../cli/cli.inc"

rounds=${1:-1000}
seed=${2:-$(date +%s)}
threads=2
program=$(realpath "$programs/O2/tortured")
job=$tmp/job
data=$job/data
mkdir "$job"
command -v pgrep >/dev/null || skip "no pgrep"
echo "seed $seed"

# The plan: victim, signal and seconds of each round.
awk -v rounds="$rounds" -v seed="$seed" 'BEGIN {
	srand(seed)
	split("KILL SEGV TERM ABRT", signals)
	for (i = 0; i < rounds; i++) {
		victim = rand() < 0.75 ? "program" : "record"
		printf "%s %s %.3f\n", victim, signals[1 + int(4 * rand())], 0.05 + 1.95 * rand()
	}
}' >"$tmp/plan"

# program_of PID: the process that the recorder has begun; nothing if it has not yet.
program_of() {
	pgrep -P "$1" -x tortured || true
}

ended() {
	tries=0
	while kill -0 "$1" 2>/dev/null && ! grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; do
		tries=$((tries + 1))
		[ $tries -lt 1200 ] || fail "round $round: process $1 does not end"
		sleep 0.05
	done
}

# begin_and_kill VICTIM SIGNAL SECONDS
begin_and_kill() {
	"$stmlog" record -o "$data" --no-report -- "$program" "$tmp/truth" 4 >"$tmp/out" 2>"$tmp/err" &
	recorder=$!
	sleep "$3"
	begun=$(program_of $recorder)
	if [ "$1" = program ] && [ -n "$begun" ]; then
		kill "-$2" "$begun" 2>/dev/null || true
	else
		kill "-$2" "$recorder" 2>/dev/null || true
		# The program goes on without its recorder; half of them are killed, too.
		[ -z "$begun" ] || [ $((round % 2)) = 0 ] || kill -KILL "$begun" 2>/dev/null || true
	fi
	wait "$recorder" 2>/dev/null || true
	# The program, also before its exec(), and the processes that make its recording.
	while process=$(pgrep -o -f "$tmp/truth"); do
		ended "$process"
	done
}

# judge SIGNAL: checks the files that are left, and prints how many commits are missing. The recorder is
# started once more before, on a program without transactions, which leaves no file of its own.
judge() {
	[ ! -e "$data" ] || mv "$data" "$tmp/found"
	"$stmlog" record -o "$data" --no-report -- "$program" "$tmp/none" 0 >"$tmp/out" 2>"$tmp/again" || true
	rm -f "$data"
	for adopted in "$data".*; do
		[ -e "$adopted" ] || continue
		[ -f "$adopted" ] || fail "round $round: $adopted is left"
		mv "$adopted" "$tmp/found"
	done
	same "what is left in round $round" "" "$(ls -A "$job")"
	commits=0
	if [ -e "$tmp/found" ]; then
		"$stmlog" check "$tmp/found" >"$tmp/out" 2>&1 || fail "round $round ($1): $(cat "$tmp/out")"
		"$stmlog" report --json "$tmp/found" >"$tmp/out"
		commits=$(jsonq "$tmp/out" .totals.commits)
	fi
	if [ -e "$tmp/truth" ]; then
		"$program" judge "$tmp/truth" "$commits" || fail "round $round ($1): too many commits"
	fi
}

round=0
while read -r victim signal seconds; do
	round=$((round + 1))
	rm -f "$tmp/truth" "$tmp/found"
	begin_and_kill "$victim" "$signal" "$seconds"
	missing=$(judge "$victim $signal") || { echo "$missing" && exit 1; }
	echo "$victim $signal $seconds ${missing:-0}" >>"$tmp/rounds"
	[ "${missing:-0}" -le $threads ] ||
		fail "round $round: $victim, $signal after $seconds s: $missing commits are missing; $(cat "$tmp/err")"
done <"$tmp/plan"

awk '{ n[$1 " " $2]++; if ($4 > most[$1 " " $2]) most[$1 " " $2] = $4; sum[$1 " " $2] += $4 }
	END { for (i in n) printf "%-13s %4d rounds, commits missing: %.2f in the mean, %d at most\n",
		i, n[i], sum[i] / n[i], most[i] }' "$tmp/rounds" | sort
echo "ok - $round rounds: every file is whole, nothing temporary is left, and no more than a commit of each thread is missing"
