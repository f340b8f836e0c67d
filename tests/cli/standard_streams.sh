#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The file - is stdin, or stdout behind -o. Binary output never goes to a terminal.

. "$(dirname "$0")/cli.inc"

record "$tmp/data" --timeline -- "$O/bench/bank" --meet=50 --threads=2 --operations=5000 >"$tmp/out"
cd "$tmp"
ln -s data stmlog.data # reports say how to go on with any other name

# reads_input ARGUMENT...: with the recording on stdin, as a pipe and as a file, the command prints what it prints with
# the file's name in place of -.
reads_input() {
	# shellcheck disable=SC2001
	"$stmlog" $(echo "$*" | sed 's/ -$/ stmlog.data/') | sed 's/^stmlog.data:/-:/; s/^file .*/file -/' >expected
	cat data | "$stmlog" "$@" | sed 's/^file .*/file -/' >piped
	"$stmlog" "$@" <data | sed 's/^file .*/file -/' >redirected
	[ -s expected ] || fail "$* prints nothing"
	cmp -s expected piped || fail "$* prints something else of a pipe: $(diff expected piped | head -n 5)"
	cmp -s expected redirected || fail "$* prints something else of stdin"
}
for arguments in "report -" "report --json -" "check -" "info -" "export --format=folded -" "export --format=perfetto -"; do
	# shellcheck disable=SC2086
	reads_input $arguments
done
claim "a recording may come from stdin"

"$stmlog" merge -o - data data >merged
"$stmlog" merge -o expected data data
cmp merged expected || fail "merge -o - writes something else"
"$stmlog" merge -o - - data <data | "$stmlog" check - >out
same "check" "-: ok" "$(cat out)"
"$stmlog" export --format=folded -o - data >folded
"$stmlog" export --format=folded -o expected data
cmp folded expected || fail "export -o - writes something else"
[ ! -e ./- ] || fail "there is a file with the name -"
claim "-o - is stdout"

run 2 "$stmlog" report - </dev/null
one_line "no recording of stmlog"
status=0
"$stmlog" report - <"$tmp" >out 2>err || status=$?
same "exit status for a directory" 2 "$status"
one_line "is a directory"
status=0
"$stmlog" report - <&- >out 2>err || status=$?
same "exit status without stdin" 2 "$status"
one_line "cannot be read"
run 2 "$stmlog" record -o - true
one_line "name a file with -o"
claim "what is no recording is refused in one line"

needs_terminal

# at_terminal COMMAND: what the command writes with a terminal at stdin, stdout and stderr, in ./seen.
at_terminal() {
	status=0
	timeout -k 1 30 script -qec "$1" /dev/null </dev/null >seen 2>&1 || status=$?
	tr -d '\r' <seen >seen.lines
}
for call in "export --format=perfetto data" "export --format=pprof -o - data" "export --format=pprof -o /dev/tty data" \
	"merge -o - data data"; do
	at_terminal "$stmlog $call"
	same "exit status of $call" 2 "$status"
	same "lines of $call" 1 "$(wc -l <seen.lines)"
	grep -q '^stmlog: .* is a terminal, and this output is not text; ' seen.lines || fail "$call: $(cat seen.lines)"
done
at_terminal "$stmlog export --format=folded data"
same "exit status of text" 0 "$status"
at_terminal "$stmlog check - </dev/tty"
same "exit status of a terminal as input" 2 "$status"
grep -q 'is the terminal' seen.lines || fail "a terminal as input: $(cat seen.lines)"
claim "binary output never goes to a terminal, and a terminal is no recording"
