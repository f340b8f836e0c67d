#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A program with hostile names (tests/helpers/hostile.c), its own name and its arguments included: no output of any
# command has a character that acts on a terminal or on the text around it. Neither has the report that the program's own
# process makes, nor any complaint, nor the path of a recording that is named after the program.

. "$(dirname "$0")/cli.inc"

# Markup, an escape of both forms, a newline, and a character that turns the direction of text.
evil=$(printf '<b>"x\033[31m\302\2331m\n\342\200\256&\\')
mkdir "$tmp/bin"
cp "$O/tests/helpers/hostile" "$tmp/bin/$evil"
neutral=$O/tests/helpers/neutral

# neutral WHAT FILE [--json]
neutral() {
	what=$1 file=$2
	shift 2
	"$neutral" "$@" <"$file" >"$tmp/why" || fail "$what: $(cat "$tmp/why"): $(cat -v "$file" | head -c 3000)"
}

# all_neutral STATUS COMMAND...: the command's output and its complaints, if there are any
all_neutral() {
	run "$@"
	shift
	form=
	case $* in *--json* | *=json*) form=--json ;; esac
	# shellcheck disable=SC2086 # there may be no form
	[ ! -s "$tmp/out" ] || neutral "$*" "$tmp/out" $form
	[ ! -s "$tmp/err" ] || neutral "complaints of $*" "$tmp/err"
}

all_neutral 0 "$stmlog" record --timeline -o "$tmp/data" -- "$tmp/bin/$evil" "$evil"
# It has what was to be hidden.
for hidden in '\302\233' '\342\200\256' '\342\200\250' '\033'; do
	grep -aqF "$(printf "$hidden")" "$tmp/data" || fail "the recording has no $hidden"
done
claim "the report that the process makes is neutral"

for by in entry site pair object thread cause region; do
	all_neutral 0 "$stmlog" report --by=$by --full --top=100 "$tmp/data"
	all_neutral 0 "$stmlog" report --by=$by --json "$tmp/data"
done
all_neutral 0 "$stmlog" report "$tmp/data"
all_neutral 0 "$stmlog" annotate -i "$tmp/data" --top=100
all_neutral 0 "$stmlog" check "$tmp/data"
all_neutral 0 "$stmlog" info "$tmp/data"
all_neutral 0 "$stmlog" merge -o "$tmp/merged" "$tmp/data" "$tmp/data"
all_neutral 0 "$stmlog" report --full "$tmp/merged"
all_neutral 0 "$stmlog" anonymize "$tmp/data" "$tmp/anonymous"
all_neutral 0 "$stmlog" report --full "$tmp/anonymous"
all_neutral 0 "$stmlog" diff "$tmp/data" "$tmp/data" -- "$tmp/data" "$tmp/data"
for format in json markdown; do
	all_neutral 0 "$stmlog" diff --format=$format "$tmp/data" "$tmp/data" -- "$tmp/data" "$tmp/data"
done
claim "so are the reports and all other commands"

for format in folded json text; do
	all_neutral 0 "$stmlog" export --format=$format "$tmp/data"
done
"$stmlog" export --format=perfetto "$tmp/data" >"$tmp/perfetto"
"$stmlog" export --format=pprof "$tmp/data" | gzip -dc >"$tmp/pprof"
for binary in perfetto pprof; do
	for hidden in '\302\233' '\342\200\256' '\342\200\250' '\033\[' '\033\]'; do
		! grep -aqP "$(printf "$hidden")" "$tmp/$binary" || fail "$binary has $hidden"
	done
done
claim "so are the exports"

all_neutral 2 "$stmlog" report "$tmp/$evil"
all_neutral 2 "$stmlog" export --format=json "$tmp/$evil"
all_neutral 2 "$stmlog" annotate -i "$tmp/$evil"
all_neutral 2 "$stmlog" annotate -i "$tmp/data" "$evil"
all_neutral 2 "$stmlog" info "$tmp/$evil"
all_neutral 2 "$stmlog" check "$tmp/bin/$evil"
all_neutral 2 "$stmlog" diff "$tmp/$evil" -- "$tmp/$evil"
all_neutral 2 "$stmlog" merge -o "$tmp/$evil/x" "$tmp/data"
all_neutral 2 "$stmlog" anonymize "$tmp/data" "$tmp/$evil/x"
all_neutral 2 "$stmlog" "$evil"
all_neutral 127 "$stmlog" record -o "$tmp/none" -- "$tmp/$evil"
cp "$tmp/data" "$tmp/$evil.data"
all_neutral 0 "$stmlog" check "$tmp/$evil.data"
all_neutral 0 "$stmlog" info "$tmp/$evil.data"
claim "so are complaints about files of hostile names"

mkdir "$tmp/named"
STMLOG_OPTIONS="out=$tmp/named/%n:report=none:verbose=1" "$tmp/bin/$evil" 2>"$tmp/err"
neutral "the path that is told" "$tmp/err"
ls "$tmp/named" >"$tmp/out"
same "recordings" 1 "$(find "$tmp/named" -type f -print0 | tr -cd '\0' | wc -c)"
neutral "the name of the recording" "$tmp/out"
claim "a path made of the program's name is neutral"
