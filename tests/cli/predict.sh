#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `stmlog predict`: what it prints, and why it prints no answer. How fast a program would be is known where a script takes
# the place of stmlog-replay. With the real one, whether its replay is near enough depends on the machine: both is right,
# and is told.

. "$(dirname "$0")/cli.inc"

[ -x "$O/stmlog-replay" ] || skip "no stmlog-replay: it is for x86-64"
TMPDIR=$tmp/tmp
export TMPDIR
mkdir "$TMPDIR"

# bank FILE [OPTION]: a recording of bank
bank() {
	record "$1" ${2:+"$2"} -- "$O/bench/bank" --operations=600000 >"$tmp/program" || fail "bank: $(cat "$tmp/program")"
}

# matches LINE: a line of stdout matches the extended regular expression
matches() {
	grep -Eqx -e "$1" "$tmp/out" || fail "no line '$1' in: $(cat "$tmp/out")"
}

number='[0-9][0-9,]*'
replayed="Replayed as it was: $number commits/s, [0-9.]+ attempts a commit; recorded: $number, [0-9.]+; $number % off\\."
differs='the replay differs from the recording' apart='the processors are nearer or farther apart than during the run'
times='[0-9.]+ times \([0-9.]+ - [0-9.]+\)'

# ---- with the real replay ----

# answers ARGUMENT...: whether there is an answer to these of any of some recordings. If not, it says why.
answers() {
	for try in 1 2; do
		bank "$tmp/data"
		run 0 "$stmlog" predict --seconds=1 "$@" "$tmp/data"
		silent
		matches "$replayed"
		grep -q '^No answer' "$tmp/out" || return 0
		same "lines of a refusal" 2 "$(wc -l <"$tmp/out")"
		matches "No answer: ($differs|$apart)\\."
	done
	echo "no answer to '$*' in $try tries: $(head -n 1 "$tmp/out")"
	return 1
}

if answers; then
	matches 'Commits per second, as a multiple:'
	matches "  one thread alone +$times"
	matches "  if threads shared no data +$times"
	matches "  ITM_DEFAULT_METHOD=gl_wt +$times"
	matches "  ITM_DEFAULT_METHOD=serialirr +$times"
	! grep -q ITM_DEFAULT_METHOD=ml_wt "$tmp/out" || fail "the method of the recording is compared with itself"
fi
claim "a recording is replayed, and has multiples; or it is said how far off the replay is"

more=$(($(nproc) + 1))
if answers --threads=1,2,$more; then
	matches 'threads  method +commits/s  interval +failed'
	for threads in 1 2 $more; do
		matches " *$threads +$number  $number - $number +[0-9.]+ %  #*"
	done
	same "rows" 3 "$(grep -c ' %  #' "$tmp/out")"
	says "This machine has $(nproc) processors: more threads share them."
fi
if answers --threads=1 --method=gl_wt,ml_wt; then
	matches " *1  gl_wt +$number  $number - $number +[0-9.]+ %  #*"
	matches " *1  ml_wt +$number  $number - $number +[0-9.]+ %  #*"
	! grep -q 'This machine' "$tmp/out" || fail "one thread is too many: $(cat "$tmp/out")"
fi
claim "so it is with other numbers of threads and methods, and more threads than processors are told"

run 0 "$stmlog" predict --seconds=1 --json "$tmp/data"
silent
cp "$tmp/out" "$tmp/json"
for member in recorded_per_s replayed_per_s recorded_attempts_per_commit replayed_attempts_per_commit off; do
	jsonq "$tmp/json" ".check.$member" | grep -Eqx '[0-9.e+-]+' || fail "$member: $(cat "$tmp/json")"
done
case $(jsonq "$tmp/json" .check.why_not) in
null) [ "$(jsonq "$tmp/json" .one_thread.ratio)" != null ] || fail "no answer and no reason: $(cat "$tmp/json")" ;;
"$differs" | "$apart") same "ratio" null "$(jsonq "$tmp/json" .one_thread.ratio)" ;;
*) fail "another reason: $(cat "$tmp/json")" ;;
esac
claim "JSON has the check, and either the ratios or why there are none"
same "files left" "" "$(ls -A "$TMPDIR")"

# ---- with a script in place of the replay ----

bank "$tmp/exact" --sample=1
"$stmlog" record -o "$tmp/lined" -- "$O/bench/bank" --seconds=1 >"$tmp/program" 2>&1 || fail "$(cat "$tmp/program")"
fake_replay

# refused REASON [FILE]: no answer to anything about the recording, for this reason
refused() {
	for options in "" --threads=1,2; do
		# shellcheck disable=SC2086
		run 0 "$stmlog" predict $options "${2:-$tmp/data}"
		silent
		same "why there is no answer" "No answer: $1." "$(tail -n 1 "$tmp/out")"
		# shellcheck disable=SC2086
		run 0 "$stmlog" predict --json $options "${2:-$tmp/data}"
		silent
		same "why there is no answer in JSON" "$1" "$(jsonq "$tmp/out" .check.why_not)"
	done
	same "rows in JSON" "null null" "$(jsonq "$tmp/out" '.rows[].ratio' | paste -sd ' ')"
	same "their failed attempts" "null null" "$(jsonq "$tmp/out" '.rows[].failed_share' | paste -sd ' ')"
}

refused "stmlog-replay is not here"
replay 'exit 1'
refused "stmlog-replay fails"
replay 'echo commits=0 attempts=10 seconds=1 preempted=0'
refused "stmlog-replay fails"
same "deviation without a replay" null "$(jsonq "$tmp/out" .check.off)"
per_s=$(jsonq "$tmp/out" .check.recorded_per_s) per_commit=$(jsonq "$tmp/out" .check.recorded_attempts_per_commit)
commits=${per_s%.*}
attempts=$(awk -v commits="$commits" -v per_commit="$per_commit" 'BEGIN { printf "%.0f", commits * per_commit }')

replay "echo commits=$((commits * 2)) attempts=$((attempts * 2)) seconds=1 preempted=0"
refused "the replay differs from the recording"
# The part of the attempts that fail is far from the recording's, whatever that is.
replay "echo commits=$commits attempts=$((attempts < 2 * commits ? 1000 * commits : commits)) seconds=1 preempted=0"
refused "the replay differs from the recording"
claim "a replay that fails, or has other commits or attempts than the recording, gives no answer"

# One thread alone makes half of the commits, another method three times as many (its first replay fails), and with four
# threads every second attempt fails.
# shellcheck disable=SC2016
answers='commits='"$commits attempts=$attempts"'
case ${ITM_DEFAULT_METHOD:-} in
gl_wt)
	commits=$((commits * 3)) attempts=$((attempts * 3))
	mkdir '"$tmp"'/has_failed 2>/dev/null && exit 1
	;;
serialirr) exit 1 ;;
esac
case $threads in
1) commits=$((commits / 2)) attempts=$commits ;;
4) attempts=$((commits * 2)) ;;
esac
echo commits=$commits attempts=$attempts seconds=1 preempted=0'
replay "$answers"
run 0 "$stmlog" predict "$tmp/data"
silent
matches "$replayed"
matches '  one thread alone +0\.50 times \(0\.45 - 0\.55\)'
matches '  if threads shared no data +1\.00 times \(0\.91 - 1\.10\)'
matches '  ITM_DEFAULT_METHOD=gl_wt +3\.00 times \(2\.73 - 3\.30\)'
! grep -q serialirr "$tmp/out" || fail "a replay that has failed has an answer: $(cat "$tmp/out")"
sed -n 's/^  without [0-9]*: \(.* times ([^)]*)\|- *\) *\(.*\)/\2/p' "$tmp/out" >"$tmp/findings"
run 0 "$stmlog" predict --json "$tmp/data"
silent
cp "$tmp/out" "$tmp/json"
same "why there is no answer" null "$(jsonq "$tmp/json" .check.why_not)"
same "methods" "null 3.0 null" \
	"$(for method in ml_wt gl_wt serialirr; do jsonq "$tmp/json" .methods.$method.ratio; done | paste -sd ' ')"
jsonq "$tmp/json" '.without_findings[].text' >"$tmp/texts"
same "findings in text and JSON" "$(cat "$tmp/texts")" "$(cat "$tmp/findings")"
"$stmlog" report --json "$tmp/data" >"$tmp/report"
same "findings of the report" "$(jsonq "$tmp/report" '.findings[].rule' | grep -v method-bound | sort)" \
	"$(jsonq "$tmp/json" '.without_findings[].rule' | sort)"
same "the first finding of the report" "method-bound 200.0" \
	"$(jsonq "$tmp/report" '.findings[0].rule') $(jsonq "$tmp/report" '.findings[0].gain_percent')"
claim "the multiples are those of the replays to that of the program as it was, and each finding has one"

replay "echo commits=$((commits * 2)) attempts=$((attempts * 2)) seconds=1 preempted=0"
refused "the replay differs from the recording"
"$stmlog" report --json "$tmp/data" >"$tmp/later"
same "gains after a prediction without an answer" "$(jsonq "$tmp/report" '.findings[].gain_percent')" \
	"$(jsonq "$tmp/later" '.findings[].gain_percent')"
claim "a prediction without an answer leaves the gains of an earlier one in the recording"
replay "$answers"

# The recording says how near two processors were. This stmlog has one, so that it never is as near.
if grep -aq line-transfer "$tmp/lined"; then
	run 0 "$stmlog" predict --threads=1 "$tmp/lined"
	silent
	matches "No answer: $apart\\."
	claim "a prediction has no answer where processors are not as near as the recording says they were"
else
	echo "not seen: record could not measure how near the processors are, or they were moved meanwhile"
fi

run 0 "$stmlog" predict --threads=4,1 --method=gl_wt,serialirr,ml_wt "$tmp/data"
silent
same "rows" "4 gl_wt 4 serialirr 4 ml_wt 1 gl_wt 1 serialirr 1 ml_wt" \
	"$(awk 'is_row && $1 ~ /^[0-9]+$/ { print $1, $2 } $1 == "threads" { is_row = 1 }' "$tmp/out" | paste -sd ' ')"
matches ' *4  gl_wt .* 50\.0 %  #{12}'
matches ' *1  gl_wt .* 0\.0 %  #{5,6}'
matches ' *1  serialirr +-'
! grep -q ' %  #.\{12\}' "$tmp/out" || fail "a bar is longer than the longest: $(cat "$tmp/out")"
for options in "" "--threads=64 --method=serialirr,gl_wt"; do
	# shellcheck disable=SC2086
	COLUMNS=80 run 0 "$stmlog" predict $options "$tmp/data"
	"$O/tests/helpers/wide_lines" 80 <"$tmp/out" >"$tmp/wide" || fail "lines wider than 80 columns: $(cat "$tmp/wide")"
done
run 0 "$stmlog" predict --json --threads=1,2,4 "$tmp/data"
cp "$tmp/out" "$tmp/json"
same "threads" "1 2 4" "$(jsonq "$tmp/json" '.rows[].threads' | paste -sd ' ')"
same "method" "null null null" "$(jsonq "$tmp/json" '.rows[].method' | paste -sd ' ')"
same "failed with one thread and with four" "0.0 0.5" \
	"$(jsonq "$tmp/json" '.rows[].failed_share' | sed -n '1p;3p' | paste -sd ' ')"
same "files left" "" "$(ls -A "$TMPDIR")"
claim "rows are all numbers of threads with all methods, in the order of the options"

# ---- recordings that cannot be replayed ----

refused "the recording has no accesses" "$tmp/exact"
STMLOG_OPTIONS=out=$tmp/embedded:report=none "$O/every-cause" >"$tmp/program"
refused "only transactions of libitm can be replayed" "$tmp/embedded"
claim "a recording without accesses, or of another runtime, says so"

# ---- mistakes ----

for options in --threads=0 --threads=65 --threads= --threads=1,,2 --threads=some --threads=1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8 \
	--method=nonsense --method= '--method=ml_wt,' --seconds=0 --seconds=soon --seconds=-1; do
	run 2 "$stmlog" predict $options "$tmp/data"
	one_line "not understood; use "
	same "stdout" "" "$(cat "$tmp/out")"
done
run 2 "$stmlog" predict --nonsense
one_line "see 'stmlog help predict'"
run 2 "$stmlog" predict "$tmp/data" "$tmp/exact"
one_line "more than one FILE"
run 2 "$stmlog" predict "$tmp/absent"
one_line "$tmp/absent: cannot be opened"
echo nonsense >"$tmp/nonsense"
run 2 "$stmlog" predict "$tmp/nonsense"
one_line "$tmp/nonsense: "
claim "a mistake in the options, or no recording, is one line and status 2"
