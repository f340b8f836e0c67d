#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The output of `stmlog help --completion` completes commands, options, values and files in bash and fish. zsh takes its
# without a complaint.

. "$(dirname "$0")/cli.inc"

command -v bash >/dev/null || skip "no bash"
"$stmlog" help --completion=bash >"$tmp/bash"
bash -n "$tmp/bash"
mkdir "$tmp/cases" "$tmp/cases/directory"
touch "$tmp/cases/stmlog.data" "$tmp/cases/a file"
mkdir "$tmp/bin"
printf '#!/bin/sh\n' >"$tmp/bin/contended_program"
chmod 755 "$tmp/bin/contended_program"
ln -s "$(realpath "$stmlog")" "$tmp/bin/stmlog"
PATH=$PATH:$tmp/bin

# completes EXPECTED WORD...: the words that bash offers for the last WORD, sorted. Bash splits words at '='.
completes() {
	expected=$1
	shift
	# shellcheck disable=SC2016
	found=$(cd "$tmp/cases" && bash -c '. "$1" && shift
		COMP_WORDS=(stmlog "$@") COMP_CWORD=$#
		_stmlog && printf "%s\n" "${COMPREPLY[@]}"' bash "$tmp/bash" "$@" | sort | tr '\n' ' ')
	same "stmlog $* completed" "$expected" "${found% }"
}

commands=$("$stmlog" help | sed -n 's/^  \([a-z]*\) .*/\1/p' | sort | tr '\n' ' ')
completes "${commands% }" ""
completes "record report" re
completes "--help --version" --
claim "bash completes commands"

for command in $commands; do
	"$stmlog" help $command | sed -n 's/^  \(-., \|    \)\(--[a-z-]*\)\(.\).*/\2\3/p' | sed 's/\[$/=/; s/ $//' |
		sort | tr '\n' ' ' >"$tmp/options"
	grep -q -e --help "$tmp/options" || fail "no options found in the help of $command"
	completes "$(sed 's/ $//' "$tmp/options")" $command --
done
completes "--by=" report --b
claim "bash completes the options that --help names"

completes "cause entry object pair path region site thread transaction" report --by = ""
completes "cause entry object pair path region site thread transaction" report --by =
completes "pair path" report --by = p
completes "pair" report --by pai
completes "--by=pair" report --by=pai
completes "perfetto pprof" export --format = p
completes "loss time" export --of = ""
completes "frames" record --stacks = f
completes "auto" record --sample ""
completes "" report --top = ""
completes "aborts" diff --metric = a
completes "zsh" help --completion = z
completes "record report" help re
completes "terms" help te
completes "self-conflict" help sel
for page in terms $("$stmlog" help terms | sed -n '/^Rules/,$p' | sed 1d); do
	completes $page help $page
done
claim "bash completes values"

completes "a file directory stmlog.data" report ""
completes "stmlog.data" report --by = pair stm
completes "a file" export -o a
completes "a file" export --output = a
completes "stmlog.data" diff stmlog.data -- stm
completes "stmlog.data" annotate stm
completes "" help stm
claim "bash completes files"

completes "contended_program" record --sample = 4 --objects contended_
completes "contended_program" record -o stmlog.data -- contended_
completes "stmlog.data" record --sample = 4 -- true stm
completes "stmlog.data" record true --live stm
completes "--live" record --sample 4 --liv
completes "" record true --li
claim "bash completes programs to record, and leaves their options to them"

if command -v zsh >/dev/null; then
	mkdir "$tmp/zsh"
	"$stmlog" help --completion=zsh >"$tmp/zsh/_stmlog"
	run 0 zsh -n "$tmp/zsh/_stmlog"
	silent
	# shellcheck disable=SC2016
	run 0 zsh -f -c 'fpath=("$1" $fpath); autoload -Uz compinit; compinit -D -u; [[ $_comps[stmlog] == _stmlog ]]' \
		zsh "$tmp/zsh"
	silent
	# zsh_offers EXPECTED WORD...: the words that the function hands to zsh's own functions for the last WORD
	zsh_offers() {
		expected=$1
		shift
		# shellcheck disable=SC2016
		found=$(cd "$tmp/cases" && zsh -f -c 'file=$1; shift
			words=(stmlog "$@") CURRENT=$(($# + 1))
			_describe() { print -l -- "${(@)${(@P)3}%%:*}"; }
			_files() { print FILES; }
			_command_names() { print COMMANDS; }
			_normal() { print "PROGRAM $words[*] $CURRENT"; }
			compset() { print "WITHOUT $2"; }
			. "$file"' zsh "$tmp/zsh/_stmlog" "$@" | tr '\n' ' ')
		same "stmlog $* completed by zsh" "$expected" "${found% }"
	}
	zsh_offers "--help --version" --
	zsh_offers "--of=loss --of=time" export --of=l
	zsh_offers "FILES" report stm
	zsh_offers "WITHOUT --output= FILES" export --output=a
	zsh_offers "FILES COMMANDS" record --sample 4 ""
	zsh_offers "PROGRAM contended_program --li 2" record --sample 4 contended_program --li
	claim "zsh completes commands, options, values and files"
fi

# offers WORDS CALL: the words that fish offers at the end of the call.
offers() {
	# shellcheck disable=SC2016
	run 0 fish --no-config -c 'source $argv[1]; cd $argv[2]; complete -C $argv[3]' "$tmp/fish" "$tmp/cases" "$2"
	same "$2 completed by fish" "$1" "$(cut -f 1 "$tmp/out" | tr '\n' ' ')"
}

if command -v fish >/dev/null; then
	"$stmlog" help --completion=fish >"$tmp/fish"
	HOME=$tmp
	export HOME
	run 0 fish --no-execute "$tmp/fish"
	silent
	offers "record report " "stmlog re"
	offers "--by=pair " "stmlog report --by=pai"
	offers "--sort= " "stmlog report --sor"
	offers "stmlog.data " "stmlog report stm"
	offers "--live " "stmlog record --liv"
	offers "stmlog.data " "stmlog annotate stm"
	offers "" "stmlog help stm"
	offers "terms " "stmlog help te"
	offers "self-conflict " "stmlog help sel"
	claim "fish completes commands, options, values and files"
fi
