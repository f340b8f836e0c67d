#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `stmlog anonymize` writes a recording without its strings. All reports of it have the same figures in the same order.

. "$(dirname "$0")/cli.inc"

# u64 FILE OFFSET
u64() {
	od -An -tu8 -j"$2" -N8 "$1" | tr -d ' '
}

# strings_of FILE: the strings of at least 4 bytes in its section of strings. That follows INFO, the first one, behind
# the file header of 16 bytes; the header of a section has 24.
strings_of() {
	at=$((40 + ($(u64 "$1" 24) + 7) / 8 * 8))
	tail -c +$((at + 25)) "$1" | head -c "$(u64 "$1" $((at + 8)))" | tr '\0' '\n' | awk 'length >= 4' | sort -u
}

# What stays: words that `help terms` explains, runtimes, and frames that the agent adds. So does "TVar #3".
{
	"$stmlog" help terms | sed -n 's/^  \([^ ].*\)/\1/p'
	echo libitm
	echo '(starved: runs alone after 101 failed attempts)'
	echo '(preempted: a thread had no processor)'
	echo '(long: a wait of 0.4 ms or more)'
	echo '(holder: its write was not recorded)'
} | sort -u >"$tmp/kept"

# figures FILE OPTION...: the report, without its texts and what is null in place of one
figures() {
	"$stmlog" report --json "$@" | sed -E 's/"([^"\\]|\\.)*"/""/g; s/null/""/g'
}

# losses FILE: the figures of each traceback, which have no interval
losses() {
	"$stmlog" export --format=folded "$1" | sed 's/.* //' | sort
}

# ways FILE: how each row is in the way, and over which data
ways() {
	"$stmlog" report --json "$1" >"$tmp/rows"
	jsonq "$tmp/rows" '.rows[].how' '.rows[].data' || :
	grep -c 'runs alone after 101 failed attempts' "$tmp/rows" || :
}

# anonymized DATA: writes $tmp/anonymous, in which no string of the recording is left, nor one of these WORDS; the
# reports of both have the same figures
anonymized() {
	data=$1
	run 0 "$stmlog" anonymize "$data" "$tmp/anonymous"
	! grep -v 'has unknown parts' "$tmp/err" || fail "a complaint"
	same "stdout" "" "$(cat "$tmp/out")"
	strings_of "$data" >"$tmp/strings"
	[ "$(wc -l <"$tmp/strings")" -ge 3 ] || fail "$data has few strings: $(cat "$tmp/strings")"
	comm -23 "$tmp/strings" "$tmp/kept" | grep -vxE 'TVar #[0-9]+' | while read -r text; do
		! grep -aqF -e "$text" "$tmp/anonymous" || fail "'$text' is left"
	done
	for word in bank transfer "$PWD" --threads --operations .so.6; do
		! grep -aqF -e "$word" "$tmp/anonymous" || fail "'$word' is left"
	done
	run 0 "$stmlog" check "$tmp/anonymous"
	figures "$data" >"$tmp/wanted"
	figures "$tmp/anonymous" >"$tmp/found"
	cmp "$tmp/wanted" "$tmp/found" || fail "$data: other figures: $(diff "$tmp/wanted" "$tmp/found" | head -c 2000)"
	same "ways of $data" "$(ways "$data")" "$(ways "$tmp/anonymous")"
	losses "$data" >"$tmp/wanted"
	losses "$tmp/anonymous" >"$tmp/found"
	cmp "$tmp/wanted" "$tmp/found" || fail "$data: other tracebacks: $(diff "$tmp/wanted" "$tmp/found" | head -c 2000)"
}

bank="$O/bench/bank --meet=50 --threads=2"
# shellcheck disable=SC2086
record "$tmp/data" --sample=1 --timeline --paths -- $bank --operations=3000 >/dev/null
contended "$tmp/data"
anonymized "$tmp/data"
run 0 "$stmlog" report --full "$tmp/anonymous"
says "program_1 argument_1 argument_2"
says "function_1"
grep -q 'file_[0-9]*\.c:[0-9]' "$tmp/out" || fail "no lines: $(cat "$tmp/out")"
! grep -q 'libc\.so' "$tmp/out" || fail "frames that start threads are not left out: $(cat "$tmp/out")"
run 0 "$stmlog" report --by=path "$tmp/anonymous"
says "function_1"
claim "a recording of a program has new names, and the same figures"

# shellcheck disable=SC2086
record "$tmp/sampled" -- $bank --operations=100000 >/dev/null
anonymized "$tmp/sampled"
record "$tmp/objects" --objects --sample=1 -- "$programs/O2/templates" 2 >/dev/null
anonymized "$tmp/objects"
for program in book starved inlined; do
	# shellcheck disable=SC2046
	record "$tmp/other" -- "$programs/O2/$program" $(short_arguments "$program" 2 ml_wt) >/dev/null
	anonymized "$tmp/other"
done
for program in neighbours alias starved alone; do
	record "$tmp/other" -- "$programs/O2/rows/$program" with >/dev/null
	anonymized "$tmp/other"
done
if "$stmlog" report "$tmp/other" | grep -q 'irrevocable by fprintf'; then
	run 0 "$stmlog" report "$tmp/anonymous"
	says "irrevocable by function_"
fi
record "$tmp/other" -- "$O/every-cause" >/dev/null
anonymized "$tmp/other"
record "$tmp/other" -- "$programs/O2/server" 2 20 >/dev/null
anonymized "$tmp/other"
run 0 "$stmlog" report --by=process "$tmp/anonymous"
same "processes" 4 "$(grep -c '^ *[0-9][0-9]*  program_1 ' "$tmp/out")"
claim "so have those of sampled programs, of C++, of other runtimes and of several processes"

STMLOG_OPTIONS="timeline=1000,grow:out=$tmp/tasks:report=none" "$O/tests/helpers/tasks" >/dev/null
anonymized "$tmp/tasks"
for by in region thread; do
	run 0 "$stmlog" report --by=$by "$tmp/anonymous"
done
claim "so have tasks and regions"

for packed in tests/golden/recordings/*.gz; do
	gzip -dc "$packed" >"$tmp/other"
	anonymized "$tmp/other"
done
claim "so have recordings of an earlier version, those of Haskell among them"

"$stmlog" anonymize - - <"$tmp/data" >"$tmp/piped"
"$stmlog" anonymize "$tmp/data" "$tmp/anonymous"
cmp "$tmp/piped" "$tmp/anonymous" || fail "through pipes another file"
run 0 "$stmlog" anonymize "$tmp/anonymous" "$tmp/again"
figures "$tmp/anonymous" >"$tmp/wanted"
figures "$tmp/again" >"$tmp/found"
cmp "$tmp/wanted" "$tmp/found" || fail "a second time there are other figures"
claim "a recording may come through pipes, and may be anonymous already"

# ---- what is refused ----
mkdir "$tmp/out.d"
echo before >"$tmp/out.d/made"
refused() {
	run 2 "$stmlog" anonymize "$1" "$tmp/out.d/made"
	one_line "$2"
	same "what stood there" before "$(cat "$tmp/out.d/made")"
	same "files" made "$(ls "$tmp/out.d")"
}
head -c 3000 "$tmp/data" >"$tmp/cut"
refused "$tmp/cut" "ends early"
refused "$tmp/absent" "cannot be opened"
refused "$tmp/kept" "is no recording of stmlog"
run 2 "$stmlog" anonymize "$tmp/data" "$tmp/no/where"
one_line "cannot be written"
cp "$tmp/data" "$tmp/copy"
ln "$tmp/copy" "$tmp/hard"
for out in copy hard; do
	run 2 "$stmlog" anonymize "$tmp/copy" "$tmp/$out"
	one_line "is the recording itself"
done
cmp "$tmp/data" "$tmp/copy" || fail "the recording was changed"
claim "what is damaged or cannot be written is one line, and nothing is written"

for files in "" a "a b c"; do
	# shellcheck disable=SC2086
	run 2 "$stmlog" anonymize $files
	one_line "; see 'stmlog help anonymize'"
done
claim "so is a wrong number of files"

# The agent, the ranking and this command each have these texts.
agent="runtimes/libitm/waits/wait.c runtimes/libitm/blame/blame.c"
# shellcheck disable=SC2086
sed -n 's/.*tb_place .* = {"\((.*)\)", .*/\1/p' $agent >"$tmp/frames"
same "frames that the agent adds" 4 "$(wc -l <"$tmp/frames")"
while read -r frame; do
	grep -qF "$frame" tools/anonymize/aliases.c || fail "$frame would get a new name"
	grep -qF "\"${frame%%: *}: \"" report/ranking/ranking_search.h || fail "the ranking does not know $frame"
done <"$tmp/frames"
claim "the frames that libitm's agent adds stay, and the ranking knows them"
