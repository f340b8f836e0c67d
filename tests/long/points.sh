#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What users of other profilers have reported as bugs of their programs: of each program below, the first screen says
# what its author had to find out. Each is recorded RUNS times in the default mode, and the screen is at most 24 lines of
# 80 columns. Prints a table; exit status 1 if one of the recordings does not say it.
#
# Programs are those of tests/programs/points, tests/strangers and tests/ghc, and of the folder CASES, without which the
# programs of that folder are left out; programs in Haskell are left out where there is no GHC.
#
# On demand (make points), some five minutes; nothing else should run on the machine.
# usage: sh tests/long/points.sh [RUNS [CASES]]

STMLOG_BUILT=${STMLOG_BUILT:-1} # make points builds what is needed
. "$(dirname "$0")/../helpers/shell.inc"

runs=${1:-10} cases=${2:-../shared/cases} missed=

# What the screen says, whose lines are joined by "~": an extended regular expression.
points() {
	cat <<'END_OF_TABLE'
neighbours2	CASES/adj.c 2	neighbours
neighbours3	CASES/adj.c 3	neighbours
neighbours4	CASES/adj.c 4	neighbours
watch	CASES/watch.c	~ *1 +(send_job|next_job|work)|bell
readers	CASES/readers.hs	committed [^~]*mostly report|~ *1 +report
choices	CASES/choices.hs	committed [^~]*mostly|~ *1 [^~]*(anyOf|gateway)
backlog	CASES/backlog.hs	~ *1 [^~]*(recorder|get|put|record)
scan	tests/strangers/matcher.c	~ *1 match_player .*reads a transaction
broadcast	CASES/broadcast.hs	each commit of publish[^~]* wakes
pool	tests/ghc/programs/pool.hs 3000 +RTS -N2	each commit of giveBack
caller	tests/programs/points/peek.c	~ *1 peek .*from watch
blocks	tests/strangers/blocks.c	data [^~]*cursor
two_words	tests/programs/points/fees.c	data [^~]*(fees[^~]*used|used[^~]*fees)
hundred	tests/programs/points/hundred.c	!other programs had
for_ever	tests/ghc/programs/rows/forever.hs with	~ *1 waitForEver[^~]*~ *how *waits for ever
forms	CASES/forms.cc	~ *1 (open_document|change_formula)
END_OF_TABLE
}

# The case of adjacent counters has two or three threads, as its authors wrote it; NUMBER of them here.
adjacent() {
	sed "s/data\[2\]/data[4]/; s/n = c > 1 ? 3 : 2/n = $1/" "$cases/adj.c"
}

# compile SOURCE TARGET NUMBER: as its author would.
compile() {
	tm="-O2 -g -fgnu-tm -pthread -w -I$cases"
	case $1 in
	*.hs) ghc -v0 -O2 -g -threaded -rtsopts '-with-rtsopts=-N2 -A32m -qg' "-i$cases" -outputdir "$2.objects" -o "$2" "$1" ;;
	*/adj.c)
		adjacent "$3" >"$2.c"
		gcc $tm -o "$2" "$2.c"
		;;
	*.c) gcc -std=gnu11 -D_GNU_SOURCE $tm -o "$2" "$1" ;;
	*.cc) g++ -std=gnu++17 $tm -o "$2" "$1" ;;
	esac
}

# screen COMMAND...: the lines of its first screen, as on a terminal, joined by "~", without the marks of estimates
screen() {
	COLUMNS=80 "$stmlog" record -o "$tmp/data" -- "$@" 2>&1 >/dev/null | tee "$tmp/screen" | tr '~\n' ' ~'
}

# is_wide: there are more than 24 lines, or more than 80 columns but in a command or a file's name
is_wide() {
	[ "$(sed '/^Recording: /,$d' "$tmp/screen" | wc -l)" -gt 24 ] || grep -v '^Recording: \|stmlog ' "$tmp/screen" | grep -q '.\{81\}'
}

# annotate_agrees: annotate gives the line of the first row half of the row's share or more
annotate_agrees() {
	"$stmlog" report --json "$tmp/data" >"$tmp/json"
	line=$(jsonq "$tmp/json" '.rows[0].line')
	"$stmlog" annotate --color=never "$tmp/data" |
		awk -v line="${line##*:}" -v share="$(jsonq "$tmp/json" '.rows[0].share')" '
			{ text = substr($0, 1, 37); number = substr($0, 38, 6) + 0 }
			number == line && match(text, /[0-9.]+ %[^%]*$/) && substr(text, RSTART) + 0 >= 50 * share { found = 1 }
			END { exit !found }'
}

# names_once: no transaction has two rows in --by=transaction
names_once() {
	[ -z "$("$stmlog" report --by=transaction "$tmp/data" | awk '/^where/ { on = 1; next } on && NF == 0 { exit } on { print $1, $2 }' | sort | uniq -d)" ]
}

# is_right NAME PATTERN SCREEN
is_right() {
	case $2 in
	!*) ! printf '%s' "$3" | grep -qE "${2#!}" ;;
	*) printf '%s' "$3" | grep -qE "$2" ;;
	esac || return 1
	[ "$1" != forms ] || { annotate_agrees && names_once; }
}

# try NAME SOURCE ARGUMENTS PATTERN
try() {
	compile "$2" "$tmp/$1" "$3"
	right=0
	for _ in $(seq "$runs"); do
		# shellcheck disable=SC2086
		text=$(screen "$tmp/$1" $3)
		grep -q '^stmlog  ' "$tmp/screen" || fail "$1: no first screen: $(cat "$tmp/screen")"
		is_wide && fail "$1: a screen of more than 24 lines, or 80 columns: $(cat "$tmp/screen")"
		if is_right "$1" "$4" "$text"; then
			right=$((right + 1))
		else
			sed 's/^/        /' "$tmp/screen"
		fi
	done
	printf '%-12s %d of %d\n' "$1" "$right" "$runs"
	[ "$right" = "$runs" ] || missed="$missed $1"
}

points >"$tmp/points"
while IFS='	' read -r name command pattern <&3; do
	source=$(printf '%s' "${command%% *}" | sed "s|^CASES/|$cases/|") arguments=
	[ "$command" = "${command%% *}" ] || arguments=${command#* }
	if [ ! -f "$source" ]; then
		echo "$name: there is no $source"
	elif [ "${source%.hs}" != "$source" ] && ! command -v ghc >/dev/null; then
		echo "$name: there is no ghc"
	else
		try "$name" "$source" "$arguments" "$pattern"
	fi
done 3<"$tmp/points"
[ -z "$missed" ] || fail "not in each recording:$missed"
