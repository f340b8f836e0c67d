#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Names that the program gives to transactions and TVars (runtimes/ghc/haskell/StmlogNames.hs), and where each TVar was
# created. They are in UTF-8 in any locale, here in C, which has ASCII alone. Without stmlog the program runs as well.

. "$(dirname "$0")/ghc.inc"

long="count M$(printf '\303\274')nzen$(printf '!%.0s' $(seq 50))"
coins="M$(printf '\303\274')nzen $(printf '\360\237\252\231')"

# field PATH: the values of the report, sorted, each once, with commas between.
field() {
	jsonq "$tmp/report" "$1" | sort -u | paste -s -d ,
}

# shows PROGRAM: each kind of transaction has lost 50 attempts, by its name and with the name of its TVar.
shows() {
	recorded "$tmp/data" --sample=1 -- "$1" 50
	same "$1: output" "$bare" "$(cat "$tmp/printed")"
	same "$1: lost" 50 "$(entries_with detail RETRY | sed 's/^1$/50/')"
	same "$1: lost" 150 "$(entries_with detail INVALID)"
	same "$1: TVars" \
		"$coins (TVar # of I#),TVar # of I#,savings (TVar # of I#)" \
		"$(jsonq "$tmp/report" '.objects[].name' | sed '/^null$/d; s/#[0-9]* of [^ ]*I#/# of I#/; s/, created.*//' | sort | paste -s -d ,)"
	same "$1: created by" makeBank "$(field '.entries[].objects[].block.frames[0].short')"
	for name in save "$long" poke wait open; do
		jsonq "$tmp/report" '.transactions[].begin.function' | grep -q -x -F "$name" || fail "$1: no transactions $name"
	done
	same "$1: blocked" wait "$(field '.blocked[].begin.function')"
	same "$1: culprits" "" "$(others poke)"
}

haskell bare names -iruntimes/ghc/haskell
haskell threaded names -iruntimes/ghc/haskell -eventlog
haskell single names -iruntimes/ghc/haskell
bare=$("$tmp/names-bare" 50)
same "without stmlog" "[101,102,103]" "$bare"
for program in "$tmp/names-threaded" "$tmp/names-single" "$tmp/names-bare"; do
	shows "$program"
done

# In the eventlog, too (eventlog.sh).
recorded "$tmp/data" --sample=1 -- "$tmp/names-threaded" 50 +RTS -l "-ol$tmp/log"
same "with names in the eventlog" 50 "$(grep -a -o -F "stm abort INVALID save: savings (TVar #" "$tmp/log" | wc -l)"
