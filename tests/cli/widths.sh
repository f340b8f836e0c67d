#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Each line of each output that people read fits 80, 100 and 160 columns: of the recordings of the golden texts and of
# the unit tests, and of two that are hard to fit (tests/helpers/golden_recordings.c), one of them with hostile names. No
# output has a character that acts on a terminal, and colours change nothing but themselves.
#
# Not meant for a width are: JSON and all other exports and formats of diff; manual pages; complaints,
# which are one line each; and commands and paths that users copy, which no line is broken within: those behind "Next:"
# and "Recording:". Where the width is not known, nothing is broken or cut.

. "$(dirname "$0")/cli.inc"

LC_ALL=C.UTF-8
TERM=xterm
export LC_ALL TERM
unset NO_COLOR COLUMNS
widths="80 100 160"
golden=$tmp/golden
mkdir "$golden"
"$O/tests/helpers/golden_recordings" "$golden"
record "$golden/templates.data" --objects --sample=1 "$programs/O2/templates" 2 >"$tmp/out"
record "$golden/every-cause.data" -- "$O/every-cause" >"$tmp/out"

# fits WHAT FILE: each line of the file fits $COLUMNS; and it is neutral.
fits() {
	"$O/tests/helpers/wide_lines" "$COLUMNS" <"$2" >"$tmp/wide" || fail "$1 at $COLUMNS columns: $(head -n 5 "$tmp/wide")"
	"$O/tests/helpers/neutral" <"$2" >"$tmp/why" || fail "$1: $(cat "$tmp/why")"
}

# view STATUS COMMAND...: keeps what it prints at each width, which is something. STATUS may be "any".
views=0
view() {
	wanted=$1 views=$((views + 1))
	shift
	for COLUMNS in $widths; do
		export COLUMNS
		status=0
		out=$tmp/views/$COLUMNS.$views
		"$stmlog" "$@" >"$out" 2>"$tmp/err" </dev/null || status=$?
		[ "$wanted" = any ] || same "exit status of $*" "$wanted" "$status"
		[ -s "$out" ] || fail "$* prints nothing: $(cat "$tmp/err")"
	done
	unset COLUMNS
}
mkdir "$tmp/views"

# views_fit WORDS: the outputs of view() since the last time fit.
views_fit() {
	for COLUMNS in $widths; do
		export COLUMNS
		cat "$tmp/views/$COLUMNS".* >"$tmp/out"
		fits "$1" "$tmp/out"
	done
	unset COLUMNS
	rm "$tmp"/views/*
}

for data in "$golden"/*.data; do
	view 0 report "$data"
	view 0 report --full --top=100 --sort=longest "$data"
	for by in site pair object thread process cause region transaction; do
		view 0 report --by=$by --top=20 "$data"
		view 0 report --by=$by --full --sort=count "$data"
	done
	case $data in */wide.data | */hostile.data)
		view 0 report --by=path "$data"
		view 0 report --by=path --full --top=1000 "$data"
		;;
	esac
	view 0 annotate -i "$data" --top=20
	view 0 info "$data"
	view any check "$data"
	views_fit "${data##*/}"
done
claim "reports, annotate, info and check fit"

# Neither is a claim about nothing: the widest recording fills its lines, and has none that fits by chance.
COLUMNS=160 "$stmlog" report --full "$golden/wide.data" >"$tmp/out"
! "$O/tests/helpers/wide_lines" 120 <"$tmp/out" >"$tmp/wide" || fail "160 columns are not used"
"$stmlog" report --full "$golden/wide.data" >"$tmp/out"
! "$O/tests/helpers/wide_lines" 400 <"$tmp/out" >"$tmp/wide" || fail "without a width lines are broken"
claim "wider terminals are used, and without one no line is broken"

# words FILE: all but spaces, as one line
words() {
	tr -d ' \n' <"$1"
}
"$stmlog" report --full --top=3 "$golden/every-cause.data" | sed '/^Costliest/,/^Threads/!d' >"$tmp/whole"
COLUMNS=80 "$stmlog" report --full --top=3 "$golden/every-cause.data" | sed '/^Costliest/,/^Threads/!d' >"$tmp/out"
same "words of the entries of a full report" "$(words "$tmp/whole")" "$(words "$tmp/out")"
COLUMNS=80 "$stmlog" report --full --top=1 "$golden/wide.data" >"$tmp/out"
name='voidmarket::Book<std::map<std::string,std::vector<unsignedlong,Allocator<unsignedlong>>>,Policy<1>>::place_1<'
case $(words "$tmp/out") in *"$name"*) ;; *) fail "a full report cuts names" ;; esac
claim "a full report has all of the names at any width"

for pair in "sample weighed" "wide hostile" "random-0 random-1" "hostile wide" "templates templates"; do
	old=$golden/${pair% *}.data new=$golden/${pair#* }.data
	for metric in lost aborts paused rate throughput; do
		view any diff --metric=$metric --top=50 "$old" "$old" "$old" "$old" -- "$new" "$new" "$new" "$new"
	done
	view any diff "$old" -- "$new"
	views_fit "diff of $pair"
done
claim "diff fits"

commands=$("$stmlog" help | sed -n 's/^  \([a-z]*\) .*/\1/p')
view 0 help
for command in $commands; do
	view 0 "$command" --help
	view 0 help "$command"
done
for page in terms $("$stmlog" help terms | sed -n '/^Rules/,$p' | sed 1d); do
	view 0 help "$page"
done
view 0 info --libitm
views_fit help
claim "help fits"

mkdir "$tmp/a-directory-of-a-name-that-leaves-little-room-for-anything-else-on-one-line"
long=$tmp/a-directory-of-a-name-that-leaves-little-room-for-anything-else-on-one-line/data
for COLUMNS in $widths; do
	export COLUMNS
	"$stmlog" record -o "$tmp/data" -- "$O/bench/bank" --meet=50 --threads=2 --operations=2000 >"$tmp/out" 2>"$tmp/err"
	fits record "$tmp/err"
	"$stmlog" merge -o "$tmp/merged" "$tmp/data" "$tmp/data" >"$tmp/out" 2>&1
	[ ! -s "$tmp/out" ] || fits merge "$tmp/out"
	cp "$tmp/data" "$long"
	"$stmlog" report "$long" >"$tmp/out"
	grep -q "^ *$long\( --full.*\)\?$" "$tmp/out" || grep -qE "^(Next|More): stmlog report $long --full" "$tmp/out" ||
		fail "the path is broken: $(grep -A 3 Next "$tmp/out")"
	grep -v -e "^ *$long" "$tmp/out" >"$tmp/rest"
	fits "report of a long path" "$tmp/rest"
done
unset COLUMNS
claim "so do record, merge and the report of a process; a path to copy is not broken"

escape=$(printf '\033')
for words in report "report --by=pair" "report --by=site --full" "report --by=thread" "report --by=process" "report --by=cause" \
	"report --by=object" "report --by=path" "annotate -i" info; do
	for data in sample wide hostile; do
		[ "$words $data" != "report --by=path sample" ] || continue # it has no paths
		# shellcheck disable=SC2086 # several words
		set -- $words
		command=$1
		shift
		COLUMNS=100 "$stmlog" $command --color=always "$@" "$golden/$data.data" >"$tmp/coloured"
		COLUMNS=100 NO_COLOR=1 "$stmlog" $command "$@" "$golden/$data.data" >"$tmp/plain"
		"$O/tests/helpers/wide_lines" 100 <"$tmp/coloured" >"$tmp/wide" || fail "$words in colours: $(cat "$tmp/wide")"
		! grep -q "$escape" "$tmp/plain" || fail "$words: an escape byte with NO_COLOR"
		sed "s/$escape\[[0-9;]*m//g" "$tmp/coloured" | cmp -s - "$tmp/plain" || fail "$words: colours change the text of $data"
	done
done
claim "colours do not change the lines"
