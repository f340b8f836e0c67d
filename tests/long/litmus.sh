#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The protocols between threads in the memory model of AArch64 (NOTES.txt, "Finding the other transaction"). x86 keeps
# all accesses in order but a store and a later load; AArch64 keeps those only that an instruction orders. Each .litmus
# file has the accesses of one claim, as gcc translates them, and the outcome that the claim excludes. herd7 tries all
# executions that the architecture allows. The lines "breaks: SED-SCRIPT" make variants without one of the orders: there
# the outcome must be possible. The variants of "holds: SED-SCRIPT" must exclude it, too.
# usage: [HERD7=herd7] sh tests/long/litmus.sh

set -eu
cd "$(dirname "$0")/../models"
herd=${HERD7:-herd7}
command -v "$herd" >/dev/null || {
	echo "there is no herd7 here (herdtools7, by opam)"
	exit 77
}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM

# expect NAME Never|Sometimes VARIANT FILE: fails unless herd7 finds the outcome as often as that.
expect() {
	# shellcheck disable=SC2086 # HERD7_OPTIONS are several words
	"$herd" ${HERD7_OPTIONS:-} "$4" >"$tmp/out" 2>&1 || :
	grep -q "^Observation $1 $2" "$tmp/out" && return
	echo "FAILED: $1${3:+ with $3} is not seen $2:"
	cat "$tmp/out"
	exit 1
}

# variants NAME holds|breaks Never|Sometimes: of the file, by its comments of this kind.
variants() {
	sed -n "s/^(\* $2: \(.*\) \*)/\1/p" "$1.litmus" >"$tmp/scripts"
	while read -r script; do
		sed "$script" "$1.litmus" >"$tmp/variant.litmus"
		! cmp -s "$1.litmus" "$tmp/variant.litmus" || { echo "FAILED: $1: '$script' changes nothing" && exit 1; }
		expect "$1" "$3" "$script" "$tmp/variant.litmus"
	done <"$tmp/scripts"
	count=$(wc -l <"$tmp/scripts")
}

for file in *.litmus; do
	name=${file%.litmus}
	expect "$name" Never "" "$file"
	variants "$name" holds Never
	variants "$name" breaks Sometimes
	[ "$count" != 0 ] || { echo "FAILED: $name has no variant that breaks it" && exit 1; }
	echo "$name holds, and none of $count variants"
done
