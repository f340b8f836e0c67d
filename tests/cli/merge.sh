#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `stmlog merge` adds recordings: of real runs, in which the program was loaded at other addresses, and many large
# made-up ones in little memory. Recordings that cannot be added are refused, and then nothing is written.

. "$(dirname "$0")/cli.inc"

# records SECTION FILE: the number of records in the section
records() {
	"$stmlog" info "$2" | awk -v name="$1" '$1 == name { gsub(",", ""); print $4 }'
}

# number PATH FILE: the number at PATH of the file's report
number() {
	"$stmlog" report --json "$2" >"$tmp/json"
	total "$tmp/json" ".$1"
}

# same_losses FILE FILE: both have the same losses at places of the same names, in any order
same_losses() {
	for file in "$1" "$2"; do
		run 0 "$stmlog" export --format=folded -o "$tmp/folded" "$file"
		sort "$tmp/folded"
		for path in totals.commits totals.attached_ns causes[].lost_ns entries[].count wall_ns runs; do
			echo "$path $(number "$path" "$file")"
		done
	done >"$tmp/both"
	half=$(($(wc -l <"$tmp/both") / 2))
	same "losses of $1 and $2" "$(head -n $half "$tmp/both")" "$(tail -n +$((half + 1)) "$tmp/both")"
}

# ---- real runs ----
for i in 1 2 3; do
	record "$tmp/$i.data" --sample=1 -- "$O/bench/bank" --meet=50 --threads=2 --operations=3000 >/dev/null
	contended "$tmp/$i.data"
done
run 0 "$stmlog" merge -o "$tmp/merged" "$tmp/1.data" "$tmp/2.data" "$tmp/3.data"
silent
same "stdout" "" "$(cat "$tmp/out")"
run 0 "$stmlog" check "$tmp/merged"
for path in totals.commits totals.aborts totals.attached_ns totals.aborted_ns wall_ns threads[].commits \
	entries[].count entries[].lost_ns; do
	sum=0
	for i in 1 2 3; do
		sum=$((sum + $(number "$path" "$tmp/$i.data")))
	done
	same "$path" $sum "$(number "$path" "$tmp/merged")"
done
same "commits" 18000 "$(number totals.commits "$tmp/merged")"
for i in 1 2; do
	"$stmlog" record --no-report -o "$tmp/cause.$i" -- "$O/every-cause" >/dev/null
done
run 0 "$stmlog" merge -o "$tmp/causes" "$tmp/cause.1" "$tmp/cause.2"
run 0 "$stmlog" check "$tmp/causes"
same "keys" "$(records entries "$tmp/cause.1")" "$(records entries "$tmp/causes")"
same "losses" $((2 * $(number entries[].count "$tmp/cause.1"))) "$(number entries[].count "$tmp/causes")"
claim "runs add up, key by key"

run 0 "$stmlog" report --full "$tmp/merged"
says "(3 runs)"
says "transfer"
says "bank.c:"
same "runs in JSON" 3 "$(number runs "$tmp/merged")"
run 0 "$stmlog" info "$tmp/merged"
says "3, merged"
! grep -q '^pid' "$tmp/out" || fail "three runs have a pid"
claim "the report names places of all runs, and says how many these were"

for format in pprof folded; do
	run 0 "$stmlog" export --format=$format -o "$tmp/exported" "$tmp/causes"
	[ -s "$tmp/exported" ] || fail "nothing in $format"
done
claim "exports read it like any other recording"

run 0 "$stmlog" merge -o "$tmp/left" "$tmp/1.data" "$tmp/2.data"
run 0 "$stmlog" merge -o "$tmp/left" "$tmp/left" "$tmp/3.data"
silent
same_losses "$tmp/left" "$tmp/merged"
cp "$tmp/merged" "$tmp/once"
run 0 "$stmlog" merge -o "$tmp/once" "$tmp/once"
same_losses "$tmp/once" "$tmp/merged"
run 0 "$stmlog" merge -o "$tmp/left" "$tmp/1.data" "$tmp/2.data" "$tmp/3.data"
cmp "$tmp/left" "$tmp/merged" || fail "the same files give another file"
claim "one by one gives the same losses as all at once, and one alone its own"

record "$tmp/timed" --timeline -- "$O/bench/bank" --threads=2 --operations=300 >/dev/null
run 0 "$stmlog" merge -o "$tmp/left" "$tmp/timed" "$tmp/1.data"
one_line "1 of 2 files have a timeline; timelines are not merged"
run 0 "$stmlog" check "$tmp/left"
same "events" "" "$(records events "$tmp/left")"
claim "a timeline is left out, and that is said"

# ---- what is there already ----
cp "$tmp/merged" "$tmp/once"
chmod 640 "$tmp/once"
ln -s once "$tmp/link"
ln "$tmp/once" "$tmp/hard"
for out in once link hard; do
	echo before >"$tmp/once"
	run 0 "$stmlog" merge -o "$tmp/$out" "$tmp/1.data" "$tmp/2.data" "$tmp/3.data"
	same "mode, after $out" 640 "$(stat -c %a "$tmp/once")"
	for name in once link hard; do
		cmp "$tmp/merged" "$tmp/$name" || fail "$name, after $out"
	done
done
[ -L "$tmp/link" ] || fail "the link is one no more"
rm "$tmp/hard"
run 0 "$stmlog" merge -o "$tmp/once" "$tmp/1.data" "$tmp/2.data" "$tmp/3.data"
same "mode" 640 "$(stat -c %a "$tmp/once")"
mkfifo "$tmp/fifo"
cat "$tmp/fifo" >"$tmp/through" &
run 0 "$stmlog" merge -o "$tmp/fifo" "$tmp/1.data" "$tmp/2.data" "$tmp/3.data"
wait
cmp "$tmp/merged" "$tmp/through" || fail "through a FIFO"
claim "a file that is written again keeps mode and names, and a FIFO is written through"

# ---- what is refused ----
mkdir "$tmp/out.d"
echo before >"$tmp/out.d/merged"
refused() {
	run 2 "$stmlog" merge -o "$tmp/out.d/merged" "$tmp/1.data" "$1" "$tmp/2.data"
	one_line "$2"
	same "what stood there" before "$(cat "$tmp/out.d/merged")"
	same "files" merged "$(ls "$tmp/out.d")"
}
record "$tmp/other" -- "$O/bench/list" --threads=2 --operations=300 >/dev/null
refused "$tmp/other" "another program"
refused "$tmp/cause.1" "another program"
refused "$tmp/absent" "cannot be opened"
head -c 3000 "$tmp/2.data" >"$tmp/cut"
refused "$tmp/cut" "ends early"
echo nonsense >"$tmp/nonsense"
refused "$tmp/nonsense" "$tmp/nonsense"
run 2 "$stmlog" merge -o "$tmp/no/where" "$tmp/1.data"
one_line "cannot be written"
claim "what does not belong, or is damaged, is one line, and nothing is written"

# ---- many ----
python3 -c '' 2>/dev/null || skip "no python3 to make large recordings"
mkdir "$tmp/made"
keys=$(python3 tests/helpers/made_recordings.py "$tmp/made" 100)
[ "$(cat "$tmp"/made/* | wc -c)" -ge 100000000 ] || fail "the recordings are smaller than 100 MB"
(
	# shellcheck disable=SC3045 # dash has it, and bash
	ulimit -v 49152
	run 0 "$stmlog" merge -o "$tmp/merged" "$tmp"/made/*.data
) || exit 1
same "keys" "$keys" "$(records entries "$tmp/merged")"
run 0 "$stmlog" check "$tmp/merged"
same "runs" 100 "$("$stmlog" info "$tmp/merged" | awk '$1 == "runs" { print $2 + 0 }')"
claim "100 files of 1 MB fit into 48 MB of address space, with all their $keys keys"
