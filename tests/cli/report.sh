#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `stmlog report`, `check` and `info` on a recording of a real run, whole and damaged.

. "$(dirname "$0")/cli.inc"

# own_losses JSON: ns lost in entries that name no other transaction
own_losses() {
	jsonq "$1" '.entries[].contention' >"$tmp/contentions"
	jsonq "$1" '.entries[].lost_ns' | paste "$tmp/contentions" - |
		awk '$1 == "none" { sum += $2 } END { printf "%.0f\n", sum }'
}

data=$tmp/data
cp "$O/bench/bank" "$tmp/bank"
record "$data" --sample=1 "$tmp/bank" --meet=50 --threads=2 --seconds=1 >/dev/null
contended "$data"
size=$(wc -c <"$data")

run 0 "$stmlog" report "$data"
silent
cp "$tmp/out" "$tmp/text"
run 0 "$stmlog" report "$data"
cmp -s "$tmp/text" "$tmp/out" || fail "two reports of one file differ"
! grep -q "$(printf '\033')" "$tmp/text" || fail "colour where there is no terminal"
claim "the text is the same each time and plain where there is no terminal"

run 0 "$stmlog" report --json "$data"
silent
json=$tmp/json
cp "$tmp/out" "$json"
same "residual" 0 "$(jsonq "$json" .totals.residual_ns)"
same "attached time" "$(total "$json" '.threads[].attached_ns')" "$(jsonq "$json" .totals.attached_ns)"
lost=$(total "$json" '.causes[].lost_ns')
same "entries and evicted" "$lost" \
	"$(($(total "$json" '.entries[].lost_ns') + $(jsonq "$json" .evicted.lost_ns)))"
lost_to=$(($(total "$json" '.entries[].lost_ns') - $(own_losses "$json")))
same "pairs" "$lost_to" "$(total "$json" '.pairs[].lost_ns')"
same "aggressors" "$lost_to" "$(total "$json" '.aggressors[].lost_ns')"
claim "the JSON adds up"

run 0 "$stmlog" report --by=cause --top=1 --sort=count --full "$data"
says "Causes"
run 0 "$stmlog" report --by=pair --top=1 --sort=longest "$data"
says "Who aborts whom: the 1 shown"
run 0 "$stmlog" report --top=0 "$data"
says "Costliest: the 0 shown"
run 0 "$stmlog" report "$data"
! grep -q '^Costliest\|^residual' "$tmp/out" || fail "more than the first screen: $(cat "$tmp/out")"
run 0 sh -c "cd '$tmp' && cp data stmlog.data && '$stmlog' report stmlog.data"
says ": stmlog report --full"
cp "$tmp/out" "$tmp/text"
run 0 sh -c "cd '$tmp' && '$stmlog' report"
cmp -s "$tmp/text" "$tmp/out" || fail "stmlog.data is not the default"
run 0 "$stmlog" report --full "$data" "$data"
same "reports" 2 "$(grep -c '^residual 0 ns$' "$tmp/out")"
claim "options and files choose what is shown"

run 0 "$stmlog" check "$data"
same "check" "$data: ok" "$(cat "$tmp/out")"
run 0 "$stmlog" info "$data"
says "runtime   libitm"
grep -q '/bank .*same build' "$tmp/out" || fail "the program's build: $(cat "$tmp/out")"
same "how many were measured" "$(sed -n 's/.* \(1 in [0-9,]*\) measured$/\1/p' "$tmp/text")" \
	"$(sed -n 's/^measured  *\(1 in [0-9,]*\) .*/\1/p' "$tmp/out")"
claim "check finds it right, info knows the program that ran"

head -c $((size - 24)) "$data" >"$tmp/cut"
run 2 "$stmlog" report "$tmp/cut"
one_line "ends early, at byte $((size - 24))"
# Its next step has another name.
sed '/: stmlog report /d' "$tmp/text" >"$tmp/whole"
sed '/: stmlog report /d' "$tmp/out" | cmp -s - "$tmp/whole" || fail "a file that lacks only its end is not reported in full"
for bytes in 0 1 15 16 100 1000 $((size - 100)); do
	head -c "$bytes" "$data" >"$tmp/cut"
	for command in report check info; do
		run 2 "$stmlog" $command "$tmp/cut"
		one_line "$tmp/cut"
	done
done
claim "of a file cut short what is whole is reported, with one line and status 2"

{ head -c $((size - 200)) "$data" && printf 'X' && tail -c 199 "$data"; } >"$tmp/damaged"
for command in report check info; do
	run 2 "$stmlog" $command "$tmp/damaged"
	one_line "damaged at byte"
done
claim "a changed byte is noticed"

mkfifo "$tmp/fifo"
for file in "$tmp/absent" "$tmp" "$tmp/fifo" /dev/zero /etc/passwd "$stmlog"; do
	for command in report check info; do
		run 2 "$stmlog" $command "$file"
		one_line "$file: "
		same "stdout" "" "$(cat "$tmp/out")"
	done
done
run 2 "$stmlog" check "$tmp/absent" "$data"
same "check" "$data: ok" "$(cat "$tmp/out")"
claim "what is no recording is one line, and the other files are looked at all the same"

hint='^No place has a line: build the program with -g, and do not strip it$'
(
	export ITM_DEFAULT_METHOD=ml_wt
	record "$tmp/lined" --sample=1 -- "$programs/O2/fails_often" 10 10 100 >/dev/null
	strip -o "$tmp/stripped" "$programs/O2/fails_often"
	record "$tmp/unlined" --sample=1 -- "$tmp/stripped" 10 10 100 >/dev/null
	support=tests/programs/support
	cc -O2 -D_GNU_SOURCE -fgnu-tm -pthread -I$support -o "$tmp/bare" tests/programs/fails_often.c $support/program.c
	record "$tmp/without-g" --sample=1 -- "$tmp/bare" 10 10 100 >/dev/null
	cc -O2 -D_GNU_SOURCE -fgnu-tm -pthread -I$support -o "$tmp/cancels" tests/programs/cancel.c $support/program.c
	record "$tmp/no-place" --sample=1 -- "$tmp/cancels" 1 >/dev/null
)
for file in unlined without-g no-place lined; do
	run 0 "$stmlog" report "$tmp/$file"
	hints=$(grep -c "$hint" "$tmp/out" || :)
	[ "$hints" = "$([ $file = lined ] && echo 0 || echo 1)" ] || fail "$file has $hints hints: $(cat "$tmp/out")"
	[ "$(wc -l <"$tmp/out")" -le 24 ] || fail "more than a screen: $(cat "$tmp/out")"
done
rm "$tmp/stripped"
run 0 "$stmlog" report "$tmp/unlined"
! grep -q "$hint" "$tmp/out" || fail "a program that is gone: $(cat "$tmp/out")"
claim "a program without lines is told to be built with -g"

mv "$tmp/bank" "$tmp/bank.away"
run 0 "$stmlog" report --full "$data"
silent
says "bank+0x"
cp "$stmlog" "$tmp/bank"
run 0 "$stmlog" report --full "$data"
says "bank+0x"
run 0 "$stmlog" info "$data"
grep -q '/bank .*another build' "$tmp/out" || fail "the program's build: $(cat "$tmp/out")"
claim "without the program, or with another build of it, there are module and offset"
