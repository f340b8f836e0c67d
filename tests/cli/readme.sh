#!/bin/sh
# SPDX-License-Identifier: MIT
#
# README.md is enough to profile a program: its commands, copied from the text and run in a folder with a source of one's
# own, record the program and print a report. Each command and option of its table is one that the command takes.
#
# Alone: its conflicts come by themselves.

. "$(dirname "$0")/cli.inc"

readme=$PWD/README.md
mkdir "$tmp/mine"
cp docs/cache.c "$tmp/mine/program.c"
ln -s "${stmlog%/*}" "$tmp/mine/build"
sed -n '/^## Profile your program/,/^[^ #]/s/^    //p' "$readme" | sed 's/ its arguments$//' >"$tmp/commands"
same "commands" "gcc build/stmlog build/stmlog" "$(cut -d ' ' -f 1 "$tmp/commands" | paste -sd ' ')"
cd "$tmp/mine"
run 0 sh -e "$tmp/commands"
cd "$OLDPWD"
says "found 120000 of 120000"
for words in "of the time on processors is lost" "  1 " "stmlog report --full"; do
	grep -qF -e "$words" "$tmp/err" || fail "record does not print '$words': $(cat "$tmp/err")"
	grep -qF -e "$words" "$tmp/out" || fail "report does not print '$words': $(cat "$tmp/out")"
done
claim "the commands of the README profile a program of one's own"

# The second column of the table: "`record --runs=10`, `diff`, see ...". An option belongs to the command before it.
# shellcheck disable=SC2016 # Markdown's quotes
sed -n '/^| you want to see/,/^$/p' "$readme" | sed '1,2d; s/^|[^|]*|//' | grep -o '`[a-z-][^`]*`' | tr -d '`' >"$tmp/told"
[ "$(wc -l <"$tmp/told")" -ge 12 ] || fail "only $(wc -l <"$tmp/told") commands found"
command=
while read -r first rest; do
	case $first in
	--*) rest="$first $rest" ;;
	*) command=$first ;;
	esac
	run 0 "$stmlog" help "$command"
	for option in $rest; do
		case $option in
		--*) grep -q -e "^ *\(-., \)\{0,1\}${option%%=*}\b" "$tmp/out" || fail "$command has no $option" ;;
		esac
	done
done <"$tmp/told"
claim "the commands and options of its table are those of the command"
