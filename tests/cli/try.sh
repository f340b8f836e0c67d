#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `stmlog try` finds the setting that makes a program faster, and recommends none where none does. What is faster is
# known by construction: a program that sleeps less with one of libitm's methods, and scripts that print a number.

. "$(dirname "$0")/cli.inc"

unset ITM_DEFAULT_METHOD LD_BIND_NOW
prefers=$PWD/$programs/O2/prefers
bank=$PWD/$O/bench/bank
TMPDIR=$tmp/tmp
export TMPDIR
mkdir "$TMPDIR" "$tmp/scripts"

# script NAME TEXT: a program that runs the text
script() {
	printf '#!/bin/sh\n%s\n' "$2" >"$tmp/scripts/$1"
	chmod +x "$tmp/scripts/$1"
}

# of NAME MEMBER: the member of the setting in $tmp/json
of() {
	at=$(jsonq "$tmp/json" '.settings[].name' | grep -nxF -e "$1" | cut -d : -f 1)
	[ -n "$at" ] || fail "no setting '$1': $(cat "$tmp/json")"
	jsonq "$tmp/json" ".settings[].$2" | sed -n "${at}p"
}

# recommends NAME: the only setting in $tmp/json that is recommended; "": none is
recommends() {
	names=
	jsonq "$tmp/json" '.settings[].recommended' >"$tmp/recommended"
	names=$(jsonq "$tmp/json" '.settings[].name' | paste -d : "$tmp/recommended" - | sed -n 's/^true://p')
	same "recommended" "$1" "$names"
}

# left: nothing is left of the recordings
left() {
	same "files" "" "$(ls -A "$TMPDIR")"
}

run 0 "$stmlog" try --json -- "$prefers" 2
silent
cp "$tmp/out" "$tmp/json"
recommends ITM_DEFAULT_METHOD=gl_wt
same "environment" '{"ITM_DEFAULT_METHOD":"gl_wt"}' "$(of ITM_DEFAULT_METHOD=gl_wt environment)"
same "command" "ITM_DEFAULT_METHOD=gl_wt $prefers 2" "$(of ITM_DEFAULT_METHOD=gl_wt command)"
awk -v ratio="$(of ITM_DEFAULT_METHOD=gl_wt ratio)" -v p="$(of ITM_DEFAULT_METHOD=gl_wt p)" \
	'BEGIN { exit !(ratio > 1.05 && p <= 0.05) }' || fail "ratio or p: $(cat "$tmp/json")"
same "first" "as it is" "$(jsonq "$tmp/json" '.settings[].name' | head -n 1)"
same "ratio of the first" 1.0 "$(of "as it is" ratio)"
same "p of the first" null "$(of "as it is" p)"
same "methods" 5 "$(jsonq "$tmp/json" '.settings[].name' | grep -v htm | grep -c '^ITM_DEFAULT_METHOD=')"
left
claim "the method with which a program sleeps less is recommended, and leaves nothing behind"

# 1000 by default, 1200 with one method, 500 with another one; and what fails with two more.
script numbers '"'"$bank"'" --threads=1 --operations=10 >/dev/null
case ${ITM_DEFAULT_METHOD:-} in
serial) printf "no more\twords\n\033[2J\302\2332J end" >&2 && exit 7 ;;
serialirr) echo "no number" ;;
gl_wt) echo "speed: 1,200.5 per second" ;;
ml_wt) echo "speed: 500 per second" ;;
*) echo "speed: 1000 per second" ;;
esac'
run 0 "$stmlog" try --json --metric='^speed: ([0-9.,]+)' -- "$tmp/scripts/numbers"
same "stderr" "no more words|?[2J?2J end|" "$(tr '\n' '|' <"$tmp/err")"
cp "$tmp/out" "$tmp/json"
recommends ITM_DEFAULT_METHOD=gl_wt
same "throughput" 1200.5 "$(of ITM_DEFAULT_METHOD=gl_wt throughput)"
same "ratio" 1.2004999999999999 "$(of ITM_DEFAULT_METHOD=gl_wt ratio)"
same "throughput as it is" 1000.0 "$(of "as it is" throughput)"
run 0 "$stmlog" try --metric='^speed: ([0-9.,]+)' -- "$tmp/scripts/numbers"
says "recommended: ITM_DEFAULT_METHOD=gl_wt, 1.20 times as fast"
says "Next: ITM_DEFAULT_METHOD=gl_wt $tmp/scripts/numbers"
! grep -q '^speed: ' "$tmp/out" || fail "what the program prints is shown: $(cat "$tmp/out")"
claim "--metric compares a number that the program prints, and a line to copy names the best setting"

same "state" "dropped as slower" "$(of ITM_DEFAULT_METHOD=ml_wt state)"
same "runs of a slower setting" 3 "$(of ITM_DEFAULT_METHOD=ml_wt values | tr ',' '\n' | grep -c 500)"
same "p of a slower setting" null "$(of ITM_DEFAULT_METHOD=ml_wt p)"
claim "a slower setting leaves the race after three runs"

same "state" failed "$(of ITM_DEFAULT_METHOD=serial state)"
same "status" 7 "$(of ITM_DEFAULT_METHOD=serial status)"
same "throughput" null "$(of ITM_DEFAULT_METHOD=serial throughput)"
same "state without a number" failed "$(of ITM_DEFAULT_METHOD=serialirr state)"
same "status without a number" 0 "$(of ITM_DEFAULT_METHOD=serialirr status)"
run 0 "$stmlog" try --runs=3 --metric='^speed: ([0-9.,]+)' -- "$tmp/scripts/numbers"
says "failed (status 7)"
says "prints no number above 0"
says "slower, dropped after 3 runs"
says "cannot decide: "
grep -q "numbers: one run takes .*, so [0-9]* settings may take" "$tmp/err" || fail "no first line: $(cat "$tmp/err")"
grep -q "numbers: turn 3 of 3: ITM_DEFAULT_METHOD=gl_wt 1.20, as it is 1.00" "$tmp/err" || fail "no standing: $(cat "$tmp/err")"
claim "a line after the first run, and the standing after each turn"
claim "a setting that fails is shown with its status, and its stderr without what acts on a terminal; few runs of many settings decide nothing"

script hangs '"'"$bank"'" --threads=1 --operations=10 >/dev/null
[ "${ITM_DEFAULT_METHOD:-}" != serial ] || exec sleep 600
echo "speed: 1000"'
run 0 "$stmlog" try --runs=3 --metric='speed: ([0-9]+)' -- "$tmp/scripts/hangs"
says "ITM_DEFAULT_METHOD=serial: was stopped: it took far longer than the program as it is"
left
claim "a setting with which the program hangs is stopped"

script even '"'"$bank"'" --threads=1 --operations=10 >/dev/null
echo "speed: 1000"'
run 0 "$stmlog" try --json --runs=9 --seconds=0.001 --metric='speed: ([0-9]+)' -- "$tmp/scripts/even"
one_line "longer than --seconds"
cp "$tmp/out" "$tmp/json"
recommends ""
same "is_decided" true "$(jsonq "$tmp/json" .is_decided)"
[ "$(jsonq "$tmp/json" .turns)" -lt 9 ] || fail "the time is up, and it goes on: $(jsonq "$tmp/json" .turns) turns"
run 0 "$stmlog" try --metric='speed: ([0-9]+)' -- "$tmp/scripts/even"
says "no setting is faster than the program as it is"
! grep -q recommended "$tmp/out" || fail "something is recommended: $(cat "$tmp/out")"
claim "of settings that are equal none is recommended, and the time ends the race"

script threads '"'"$bank"'" --threads=1 --operations=10 >/dev/null
echo "speed: $((1000 / $1))"'
run 0 "$stmlog" try --json --metric='[0-9]+' -- "$tmp/scripts/threads" '{threads}'
cp "$tmp/out" "$tmp/json"
if [ "$(nproc)" -gt 1 ]; then
	recommends '{threads} = 1'
	same "command" "$tmp/scripts/threads 1" "$(of '{threads} = 1' command)"
	affine=$(jsonq "$tmp/json" '.settings[].name' | grep '^taskset -c [0-9]*$')
	same "command on one processor" "$affine $tmp/scripts/threads $(nproc)" "$(of "$affine" command)"
fi
script affine '"'"$bank"'" --threads=1 --operations=10 >/dev/null
echo "speed: $((1000 / $(nproc)))"'
run 0 "$stmlog" try --json --metric='[0-9]+' -- "$tmp/scripts/affine"
cp "$tmp/out" "$tmp/json"
[ "$(nproc)" = 1 ] || recommends "$(jsonq "$tmp/json" '.settings[].name' | grep '^taskset -c [0-9]*$')"
claim "numbers of threads take the place of {threads}, and one processor is one"

run 0 "$stmlog" try --runs=3 -- "$O/every-cause"
says "not a program of libitm"
! grep -q ITM_DEFAULT_METHOD "$tmp/out" || fail "methods of libitm are tried: $(cat "$tmp/out")"
claim "methods are tried with programs of libitm only"

run 2 "$stmlog" try -- "$tmp/no-such-program"
one_line "$tmp/no-such-program: cannot be run"
run 2 "$stmlog" try -- sh -c 'exit 5'
one_line "sh: fails as it is, with status 5"
run 2 "$stmlog" try -- true
one_line "nothing was recorded"
run 2 "$stmlog" try --metric=speed -- "$prefers" 1
one_line "prints no number above 0 where --metric looks for it"
left
claim "a program that fails as it is is one line and status 2"

"$stmlog" try -- "$bank" --seconds=60 >"$tmp/out" 2>"$tmp/err" &
race=$!
has_files() {
	ls "$TMPDIR"/*/run.data.* >"$tmp/listed" 2>&1
}
wait_for has_files
sleep 0.5
kill -TERM $race
status=0
wait $race || status=$?
same "exit status when terminated" 143 "$status"
one_line "was ended by signal 15"
left
claim "a signal ends the race, and nothing is left of it"

run 2 "$stmlog" try '--metric=(' -- "$prefers"
one_line "--metric '(' is no extended regular expression"
for options in --runs=2 --runs=some --runs=10000 --seconds=0 --seconds=soon; do
	run 2 "$stmlog" try $options -- "$prefers"
	one_line "not understood; use "
done
run 2 "$stmlog" try
one_line "no COMMAND"
TMPDIR=$tmp/none run 2 "$stmlog" try -- "$prefers"
one_line "name another place by TMPDIR"
claim "a mistake in the options is one line that says what would do"
