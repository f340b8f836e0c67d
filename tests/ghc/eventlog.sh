#!/bin/sh
# SPDX-License-Identifier: MIT
#
# With +RTS -l the losses of measured transactions are user messages in the program's eventlog; without it there is
# nothing.

. "$(dirname "$0")/ghc.inc"

# logged TEXT: how often the eventlog of the last run has the text.
logged() {
	grep -a -o -F "$1" "$tmp/log" | wc -l
}

# logs PROGRAM SCENE WORDS: the scene happens 50 times, and so often these words are in the log.
logs() {
	recorded "$tmp/data" --sample=1 -- "$tmp/$1" "$2" 50 +RTS -l "-ol$tmp/log"
	same "$way, $1, $2: $3" 50 "$(logged "stm $3,")"
}

for way in linked preloaded; do
	form=threaded
	[ $way = linked ] || form=single
	haskell $form words -eventlog
	program=words-$form
	logs $program raise "abort EXCEPTION"
	logs $program vain "block RETRY"
	logs $program invalid "abort INVALID: TVar #1 of ghc-prim:GHC.Types.I#"
	recorded "$tmp/data" --sample=1000000 -- "$tmp/$program" raise 2 +RTS -l "-ol$tmp/log"
	same "$way: attempts that are not measured" 0 "$(logged "stm ")"
	recorded "$tmp/data" --sample=1 -- "$tmp/$program" invalid 50 "+RTS" "-l-u" "-ol$tmp/log"
	same "$way: without user events" 0 "$(logged "stm ")"
	rm "$tmp/log"
	(cd "$tmp" && "$stmlog" record -o data --no-report --sample=1 ./$program invalid 50) || fail "$way: no recording"
	[ -z "$(ls "$tmp"/*.eventlog 2>/dev/null)" ] || fail "$way: there is a log without -l"
done
