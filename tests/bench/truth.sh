#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The programs with time stamps of their own, and bench/truth.sh, which compares them with reports. The test looks only at
# what no other work of the machine can change: not at how well a report fits the truth.
#
# Not alone: no time is looked at.

. "$(dirname "$0")/../cli/cli.inc"
. "$(dirname "$0")/bench.inc"

judged="auction census forecast genes journal packets printer settlement warehouse"
same "the programs tried" "$(for source in bench/truth/*.c; do basename "$source" .c; done)" \
	"$(echo "$judged" | tr ' ' '\n')"

# The options with which a program does not sleep for seconds.
brief() {
	[ "$1" != printer ] || echo --batch=300 --print=1 --gap=1
}

# shellcheck disable=SC2046
for program in $judged; do
	for len in 1 2 5; do
		holds "truth/$program" $len 2000 $(brief "$program")
	done
	holds "truth/$program" 1 1000 --seed=7 $(brief "$program")
	figures_but_times >"$tmp/first"
	holds "truth/$program" 1 1000 --seed=7 $(brief "$program")
	figures_but_times >"$tmp/again"
	cmp -s "$tmp/first" "$tmp/again" || fail "$program: another run with this seed: $(diff "$tmp/first" "$tmp/again")"
	same "$program without stamps: truths" 0 "$(grep -c '^truth_' "$tmp/out" || true)"
	holds "stamped/$program" 1 1000 --seed=7 $(brief "$program")
	figures_but_times | grep -v '^truth_' >"$tmp/again"
	cmp -s "$tmp/first" "$tmp/again" || fail "$program: with stamps: $(diff "$tmp/first" "$tmp/again")"
done
claim "each larger program holds its invariants, does the same for the same seed, and does the same with stamps"

# Each piece of a thread's time is in one row, whoever else is on the machine. The time attached is that of the clock, the
# rows are those of the time stamp counter.
for program in bank list clusters index queue reservation $judged; do
	# shellcheck disable=SC2046
	holds "stamped/$program" 3 3000 $(brief "$program")
	transactions=$(($(figure truth_commits) + $(figure truth_cancels)))
	[ "$(figure truth_attempts)" -ge $transactions ] || fail "$program: more transactions than attempts"
	[ $transactions -ge 9000 ] || fail "$program: $transactions transactions"
	awk '
	$1 ~ /^truth_.*_ns$/ && $1 !~ /(attached|off)_ns$/ { sum += $2; rows++ }
	$1 == "truth_attached_ns" { attached = $2 }
	END { exit !(rows == 6 && sum > attached * 0.999 - 300000 && sum < attached * 1.001 + 300000) }' "$tmp/out" ||
		fail "$program: the truth does not add up: $(cat "$tmp/out")"
	[ "$(figure truth_descheduled_ns)" -le $(($(figure truth_off_ns) + 300000)) ] ||
		fail "$program: more time off the processor inside than in all: $(cat "$tmp/out")"
	awk '
	$1 == "truth_site" { aborted += $3; paused += $4 }
	$1 == "truth_aborted_ns" { aborted -= $2 }
	$1 == "truth_paused_ns" { paused -= $2 }
	END { exit aborted * aborted + paused * paused > 10000 }' "$tmp/out" ||
		fail "$program: the sites are not the rows: $(cat "$tmp/out")"
done
same "cancels of a program without" 0 "$(figure truth_cancels)"
holds stamped/auction 2 3000
[ "$(figure truth_cancels)" -gt 0 ] || fail "auction cancels nothing"
same "what auction cancels" "$(figure cancelled)" "$(figure truth_cancels)"
claim "the truth of each program adds up to the time that its threads have had"

for program in forecast settlement; do
	ITM_DEFAULT_METHOD=ml_wt holds "stamped/$program" 2 40000
	failed=$(($(figure truth_attempts) - $(figure truth_commits)))
	[ "$(figure met)" -le $failed ] || fail "$program: attempts have met a rival and committed: $(cat "$tmp/out")"
done
claim "an attempt that has met its rival fails"

# Two prints, each a transaction that sleeps.
holds stamped/printer 1 20 --print=300 --gap=0
[ "$(figure truth_descheduled_ns)" -ge 590000000 ] || fail "two prints of 0.3 s: $(cat "$tmp/out")"
claim "a sleep in an irrevocable transaction is time off the processor"

ITM_DEFAULT_METHOD=ml_wt sh bench/truth.sh --format=tsv --programs="bank auction" "$O" 2 0.2 >"$tmp/out" 2>"$tmp/err" ||
	fail "$(cat "$tmp/err")"
silent
for program in bank auction; do
	same "$program: rows" 14 \
		"$(awk -F '\t' -v p=$program '$1 == "row" && $2 == p && $5 !~ / in / && NF == 11' "$tmp/out" | wc -l)"
	same "$program: runs" 2 "$(grep -c "^run	$program	default	" "$tmp/out")"
	same "$program: stamps weighed" 1 "$(grep -c "^stamps	$program	" "$tmp/out")"
done
awk -F '\t' '
$1 == "row" && ($6 < 0 || $7 < 0 || $7 > $11 + 100 || $8 != "-" && ($8 > $7 + 100 || $9 < $7 - 100)) { print; wrong = 1 }
$1 == "row" && $5 !~ / in / && $5 != "lost" { sum[$2, $4] += $7; attached[$2, $4] = $11 }
END {
	for (each in sum)
		wrong = wrong || sum[each] > attached[each] + 100
	exit wrong
}' "$tmp/out" || fail "rows that cannot be"
! grep '^fault' "$tmp/out" || fail "figures that cannot be"
claim "no row of a report exceeds what it is part of, or is outside of its interval"

printf 'truth_attached_ns 5000000001\nchecksum ok\n' >"$tmp/out"
printf ' "totals": {"attached_ns": 5000000001, "outside_ns": 5000000001, "open_ns": 0}\n' >"$tmp/json"
awk -f bench/truth/run.awk -v program=long -v mode=default -v run=1 -v json_file="$tmp/json" "$tmp/out" "$tmp/json" >"$tmp/rows"
same "a row of five seconds" "0 5000000001 5000000001" "$(awk '$5 == "outside" { print $6, $7, $11 }' "$tmp/rows")"
claim "times beyond two seconds are told to the nanosecond"

printf 'truth_aborted_ns 7\ntruth_attempts 5\ntruth_commits 3\nchecksum ok\n' >"$tmp/out"
awk -f bench/truth/run.awk -v program=some -v mode=default -v run=1 -v json_file="$tmp/json" "$tmp/out" "$tmp/json" >"$tmp/rows"
same "the rows of a program that knows one" aborted "$(awk '$1 == "row" { print $5 }' "$tmp/rows")"
claim "a program may know the truth of one row"

run 0 sh bench/truth.sh --format=tsv --programs=list "$O" 1 0.1
cp "$tmp/out" "$tmp/run"

# judged_as STATUS WORDS [ROW RUNS TRUTH ESTIMATE LOW HIGH]: ten runs in which each row of the report is the truth, but
# for these figures, in milliseconds, of one row in the first RUNS of them.
judged_as() {
	for number in 1 2 3 4 5 6 7 8 9 10; do
		awk -F '\t' -v number=$number -v row="${3:-}" -v runs="${4:-0}" -v figures="${5:-} ${6:-} ${7:-} ${8:-}" '
		BEGIN { OFS = FS }
		$1 == "row" {
			split($5 == row && number <= runs ? figures : "100 100 90 110", ms, " ")
			print $1, $2, $3, number, $5, ms[1] * 1e6, ms[2] * 1e6, ms[3] * 1e6, ms[4] * 1e6, 0, 700000000
		}' "$tmp/run"
		printf 'run\tlist\tdefault\t%d\t1000\t1100\t0\t0\n' $number
	done >"$tmp/made"
	printf '%b' "${9:-}" >>"$tmp/made"
	run "$1" env LC_ALL=comma sh bench/truth.sh --from="$tmp/made"
	says "$2"
}
make_comma_locale
judged_as 0 "0 requirements missed"
judged_as 0 "0 requirements missed" committed 1 200 100 90 110
judged_as 1 "committed: the interval held the truth in 8 of 10 runs" committed 2 200 100 90 110
judged_as 1 "aborted: 1.50 times the truth in the median" aborted 6 100 150 90 160
judged_as 1 "aborted: 1.50 times the truth in the median" aborted 6 1 1.5 0.9 1.6
judged_as 0 "0 requirements missed" aborted 6 0.5 0.75 0.4 0.8
judged_as 1 "paused: steady in 8 of 10 runs" paused 2 100 120 115 125
judged_as 0 "0 requirements missed" paused 2 120 120 115 125
judged_as 1 "  list (default): figures (2 times)" "" 0 0 0 0 0 \
	'fault\tlist\tdefault\t1\tfigures\nfault\tlist\tdefault\t2\tfigures\n'
says "1 requirements missed"
claim "a requirement that is missed is named, and is a failure"

run 2 sh bench/truth.sh --nonsense
same "stderr" "truth.sh: --nonsense: use --exact, --programs=LIST, --format=table|tsv or --from=FILE" "$(cat "$tmp/err")"
run 1 sh bench/truth.sh --programs=list "$tmp/nothing" 1 0.1
same "lines on stderr without programs" 1 "$(grep -c '^truth.sh: ' "$tmp/err")"
claim "it ends with one line where it is told what it does not know, and where a program fails"
