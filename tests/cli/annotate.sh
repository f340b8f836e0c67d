#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `stmlog annotate`: the lines of real programs with what they lost, sources found and not found, and which arguments it
# takes.

. "$(dirname "$0")/cli.inc"

record "$tmp/book" --sample=1 -- "$programs/O2/book" 3 20 1000 >/dev/null
record "$tmp/bank" --sample=1 -- "$O/bench/bank" --meet=50 --threads=2 --operations=2000 >/dev/null
contended "$tmp/bank"

# line_of TEXT FILE: the number of the first line of FILE with the text
line_of() {
	grep -nF -m 1 -e "$1" "$2" | cut -d : -f 1
}

# listed FUNCTION LINE: what the listing in $tmp/out has at the line of the function, as "MARK LOST SHARE LED" with "-"
# for what is not there
listed() {
	awk -v name="$1" -v wanted="$2" '
	/^[^ >]/ { in_function = $0 ~ "[ :]" name "([(]|$)" }
	in_function && substr($0, 39, 5) + 0 == wanted && /^[ >]/ {
		n = split("1 1,2 9,12 7,20 10", at, ",")
		for (i = 1; i <= n; i++) {
			split(at[i], range, " ")
			cell = substr($0, range[1], range[2])
			gsub(/^ +| +$/, "", cell)
			gsub(/ /, "", cell)
			printf "%s%s", cell == "" ? "-" : cell, i < n ? " " : "\n"
		}
		exit
	}' "$tmp/out"
}

source=tests/programs/book.cc
run 0 "$stmlog" annotate -i "$tmp/book"
silent
counts=$(line_of 'void Book::count_one(unsigned number)' $source)
prints=$(line_of 'void Book::print_page(unsigned round)' $source)
says "$source:$counts  "
says "$source:$prints  "
says "  __transaction_relaxed"
says "  counted[number].value++;"
begin=$(awk -v from="$counts" 'NR > from && /__transaction_atomic/ { print NR; exit }' $source)
# shellcheck disable=SC2046 # four words
set -- $(listed count_one "$begin")
same "mark of the victim's line" ">" "$1"
[ "${3%.*}" -ge 50 ] || fail "the victim has $3: $(cat "$tmp/out")"
begin=$(awk -v from="$prints" 'NR > from && /__transaction_relaxed/ { print NR; exit }' $source)
# shellcheck disable=SC2046 # four words
set -- $(listed print_page "$begin")
same "mark of the culprit's line" ">" "$1"
[ "$4" != - ] || fail "nothing was lost to the culprit: $(cat "$tmp/out")"
claim "a wait is at the line of the victim, and at the line of the transaction that it waited for"

# Sums of the functions: of the report's places, the same.
run 0 "$stmlog" annotate -i "$tmp/bank" --top=99
silent
cp "$tmp/out" "$tmp/all"
run 0 "$stmlog" report --json "$tmp/bank"
for member in local.function local.line lost_ns; do
	jsonq "$tmp/out" ".sites[].$member" >"$tmp/$member"
done
paste -d ' ' "$tmp/local.function" "$tmp/local.line" "$tmp/lost_ns" | grep -E '^[a-z_]+ [1-9]' >"$tmp/sites"
[ -s "$tmp/sites" ] || fail "no sites: $(cat "$tmp/out")"
cp "$tmp/all" "$tmp/out"
while read -r function line lost_ns; do
	# shellcheck disable=SC2046 # four words
	set -- $(listed "$function" "$line")
	echo "$2" | awk -v lost_ns="$lost_ns" '{
		ns = $1 * ($1 ~ /us$/ ? 1e3 : $1 ~ /ms$/ ? 1e6 : $1 ~ /[0-9]s$/ ? 1e9 : 1)
		exit !(ns > lost_ns * 0.94 && ns < lost_ns * 1.06)
	}' || fail "at $function:$line $lost_ns ns were lost, and $2 are listed: $(cat "$tmp/all")"
done <"$tmp/sites"
claim "each line has lost what the report says of its place"

grep '^TM_RUNS static void meet' bench/programs/bank.c >"$tmp/declaration"
grep -qF -f "$tmp/declaration" "$tmp/all" || fail "not in a pipe, as a whole: $(cat "$tmp/declaration")"
claim "in a pipe no line of source is cut"

for words in eet '^m.*t$' 'meet|transfer'; do
	run 0 "$stmlog" annotate -i "$tmp/bank" "$words"
	same "files listed for $words" bench/programs/bank.c "$(sed -n 's/^\([^ >]*\.c\):.*/\1/p' "$tmp/out" | sort -u)"
done
claim "functions are chosen by a part of their name, or by an expression"

run 0 "$stmlog" annotate -i "$tmp/bank" meet
mv "$tmp/out" "$tmp/expected"
run 0 "$stmlog" annotate "$tmp/bank" meet
cmp "$tmp/expected" "$tmp/out" || fail "the first argument is no recording"
run 0 "$stmlog" annotate "$tmp/bank"
cmp "$tmp/all" "$tmp/out" || fail "the only argument is no recording"
claim "the first argument may be the recording, as of other commands"

# A program whose sources have moved since.
mkdir "$tmp/src"
cat >"$tmp/src/victim.c" <<-'END'
	static int value;
	__attribute__((noinline)) static void give_up(void)
	{
		__transaction_atomic { value++; __transaction_cancel; }
	}
	int main(void)
	{
		for (int i = 0; i < 100; i++)
			give_up();
		return 0;
	}
END
(cd "$tmp/src" && gcc -O0 -g -fgnu-tm -o ../victim victim.c)
record "$tmp/moved" --sample=1 -- "$tmp/victim"
(cd / && run 0 "$stmlog" annotate -i "$tmp/moved" give_up)
says "src/victim.c:2  give_up"
grep -q '^>.* 100\.0 % .* 4  __transaction_atomic { value++;' "$tmp/out" || fail "no line: $(cat "$tmp/out")"
mv "$tmp/src" "$tmp/elsewhere"
run 0 "$stmlog" annotate -i "$tmp/moved" give_up
says "  the source is not there; --srcdir=DIR looks for it below DIR"
grep -Eq '^>.* 100\.0 % .* 4$' "$tmp/out" || fail "no figures: $(cat "$tmp/out")"
run 0 "$stmlog" annotate -i "$tmp/moved" --srcdir="$tmp/elsewhere" give_up
says "__transaction_atomic { value++;"
touch -d '1 hour' "$tmp/elsewhere/victim.c"
run 0 "$stmlog" annotate -i "$tmp/moved" --srcdir="$tmp/elsewhere" give_up
says "  the source is newer than the recording: lines may have moved"
rm "$tmp/elsewhere/victim.c"
mkfifo "$tmp/elsewhere/victim.c"
run 0 timeout -k 1 20 "$stmlog" annotate -i "$tmp/moved" --srcdir="$tmp/elsewhere" give_up
says "  the source is not there"
claim "a source is found where it was, or below --srcdir; without it there are the figures"

run 2 "$stmlog" annotate -i "$tmp/book" no_such_function
one_line "no function with losses matches 'no_such_function'; 'stmlog report --by=site' lists them"
for input in "" "-i $tmp/book"; do
	# shellcheck disable=SC2086 # two words, or none
	run 2 "$stmlog" annotate $input "$tmp/gone" "$tmp/book"
	one_line "one FUNCTION at most; '$tmp/book' is one more"
done
run 2 "$stmlog" annotate -i "$tmp/none"
one_line "$tmp/none: "
run 2 "$stmlog" annotate -i "$tmp/book" one two
one_line "one FUNCTION at most"
for option in top=x context=x context=99999999999; do
	run 2 "$stmlog" annotate --$option
	one_line "not understood; use a number"
done
claim "a mistake is one line that says what would do"
