#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A recording has the number of TVars that each transaction has read, those of its alternatives included.

. "$(dirname "$0")/ghc.inc"

haskell threaded reads
haskell single reads

# reads_of FUNCTION: "SUM ATTEMPTS" of the transactions that begin there.
reads_of() {
	jsonq "$tmp/report" '.transactions[].begin.function' | grep -n "^\"\?Main.$1\"\?$" | cut -d : -f 1 >"$tmp/row"
	at=$(($(cat "$tmp/row") - 1))
	echo "$(jsonq "$tmp/report" ".transactions[$at].reads.sum") $(jsonq "$tmp/report" ".transactions[$at].reads.attempts")"
}

# each FUNCTION: how many TVars each transaction has read; nothing if they are not all the same.
each() {
	reads_of "$1" | awk '$2 > 0 && $1 % $2 == 0 { print $1 / $2 }'
}

for form in threaded single; do
	recorded "$tmp/data" --sample=1 -- "$tmp/reads-$form" 1000
	same "$form: of all" "40000 1000" "$(reads_of total)"
	same "$form: of all alternatives" "30000 1000" "$(reads_of firstFull)"
	recorded "$tmp/data" -- "$tmp/reads-$form" 20000
	same "$form: of a sample" "40 30" "$(each total) $(each firstFull)"
done
