#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What the module for GHC costs: transactions of one Haskell thread with the module, over those of the same program
# without it. In each round the forms run in turns; the figures are medians over the rounds. "bare again" is the program
# without the module once more, and tells how far to trust the others.
# usage: sh bench/ghc.sh BUILD [ROUNDS]

set -eu
O=$1 rounds=${2:-15}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
unset STMLOG_OPTIONS LD_PRELOAD
export LC_ALL=C # awk reads and prints decimals as the locale has them

# program NAME [FLAG...]: links the program, with these flags of ghc's
program() {
	name=$1
	shift
	ghc -v0 -O -threaded -outputdir "$work/objects" -o "$work/$name" "$@" bench/ghc/transactions.hs
}
program bare
program linked "-optl@$O/stmlog-ghc.wrap"

# Each form: its name, the program, STMLOG_OPTIONS (-: none), a further argument. With an interval of a million hooks
# have nothing to do. "asleep": the same, while a transaction sleeps.
cat >"$work/forms" <<'FORMS'
bare bare -
bare_again bare -
hooks linked sample=1000000
asleep linked sample=1000000 asleep
1_in_64 linked sample=64
auto linked sample=auto
all linked sample=1
FORMS

# measure KIND WINDOWS LENGTH: prints for each round and form a line "ROUND FORM NANOSECONDS", for one transaction
measure() {
	for round in $(seq "$rounds"); do
		while read -r form program options argument; do
			# shellcheck disable=SC2086 # there may be no argument
			ns=$(STMLOG_OPTIONS=${options#-} "$work/$program" "$@" $argument 2>"$work/err")
			echo "$round $form $ns"
		done <"$work/forms"
	done
}

# median FORM COLUMN: of this column in the form's lines
median() {
	awk -v form="$1" -v column="$2" '$1 == form { print $column }' "$work/ratios" | sort -n |
		awk '{ at[NR] = $1 } END { print at[int((NR + 1) / 2)] }'
}

# medians: of nanoseconds, and of the ratio to the bare program in the same round
medians() {
	awk '$2 == "bare" { bare[$1] = $3 } { print $2, $3, $3 / bare[$1] }' "$work/figures" >"$work/ratios"
	while read -r form _; do
		printf '%-12s %8.1f ns  %.3f\n' "$form" "$(median "$form" 2)" "$(median "$form" 3)"
	done <"$work/forms"
}

while read -r kind windows len; do
	echo "$kind: nanoseconds for a transaction, and over bare"
	measure "$kind" "$windows" "$len" >"$work/figures"
	medians
done <<'KINDS'
read 200 8192
increment 200 8192
transfer 200 4096
work 200 256
KINDS
