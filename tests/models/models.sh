#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Model checking of the protocols between threads (NOTES.txt, "Finding the other transaction"). spin tries every
# interleaving of a few steps of each thread: it finds no way to break a claim, and it reaches every assert. Each model
# also has variants that are broken on purpose. spin must find a fault in each, by the claim that the variant breaks: a
# model in which nothing can go wrong proves nothing.

set -eu
cd "$(dirname "$0")"
models=$PWD
command -v spin >/dev/null || {
	echo "there is no spin here"
	exit 77
}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM
cd "$tmp"

# fail WORDS...
fail() {
	echo "FAILED: $*"
	exit 1
}

# search MODEL [-DVARIANT...]: searches all interleavings, or up to the first violation. spin's output is in `out`.
search() {
	model=$1
	shift
	rm -f ./*.trail
	cp "$models/$model.pml" .
	spin -a "$@" "$model.pml" >spin.out || fail "spin on $model: $(cat spin.out)"
	gcc -O1 -w -DSAFETY -DMEMLIM=2000 -o pan pan.c
	./pan -m100000 >out 2>&1 || fail "$model $*: $(cat out)"
}

# holds MODEL: fails on a violation, and also if spin gave up before the end of the search.
holds() {
	search "$1"
	grep -q 'errors: 0$' out || fail "$1: $(cat out)"
	! grep -qi 'not completed\|too small' out || fail "$1: $(cat out)"
	! grep -q '"assert' out || fail "$1: asserts that nothing reaches: $(cat out)"
	echo "$1 holds in $(sed -n 's/^ *\([0-9]*\) states, stored.*/\1/p' out) states"
}

# breaks CLAIM MODEL VARIANT...: fails unless the search stops at an assert that has the claim's name beside it.
breaks() {
	claim=$1 model=$2
	shift 2
	variant=$*
	# shellcheck disable=SC2046 # the names of variants have no blanks
	set -- $(printf -- '-D%s ' "$@")
	search "$model" "$@"
	[ -e "$model.pml.trail" ] || fail "$model holds although $variant"
	spin -t "$@" "$model.pml" >replay
	line=$(sed -n "s/^spin: $model.pml:\([0-9]*\), Error: assertion violated.*/\1/p" replay | head -n 1)
	[ -n "$line" ] || fail "$model with $variant fails by no assert: $(cat out)"
	sed "$line!d" "$model.pml" | grep -q "/\*.*\<$claim\>" ||
		fail "$model with $variant does not break $claim but: $(sed "$line!d" "$model.pml")"
	echo "$model with $variant breaks $claim"
}

holds attempts
breaks V1 attempts ENDED_FIRST
breaks V1 attempts COUNTED_FIRST
breaks V1 attempts RING_FIRST
breaks V2 attempts WHOLE_RING
breaks V2 attempts NO_SECOND_LOOK

holds origins
breaks O1 origins NO_COMPARE
breaks O1 origins ROW_REPLACED
breaks O1 origins TABLE_CLEARED
breaks O2 origins HASH_FIRST
breaks O2 origins NO_HASH_LOOK
breaks O3 origins NO_CLAIM
breaks O4 origins NOT_HELD
breaks O5 origins NO_SESSION

holds private_places
for variant in NO_ATTEMPT NO_TURN TURN_AGAIN CACHE_KEPT; do
	breaks O6 private_places $variant
done
breaks O7 private_places NO_SECOND_LOOK
breaks O7 private_places WORDS_FIRST
