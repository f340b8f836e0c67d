#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Recordings of an earlier version (tests/golden/recordings), which may have sections and facts that this one does not
# know, are read, and their figures are those of then. The programs that they name are not there any more.
#   libitm            bank, with a timeline, paths, objects, accesses and gains
#   exit              a process that ended within a transaction
#   passive           a process of which only libitm's own counts are known
#   haskell           GHC's STM, with green threads
#   every-cause, every-lazy-cause, tasks   programs that embed the library

. "$(dirname "$0")/cli.inc"

while read -r name runtime commits aborts entries threads; do
	data=$tmp/$name.data
	gzip -dc "tests/golden/recordings/$name.data.gz" >"$data"
	run 0 "$stmlog" check "$data"
	same "check of $name" "$data: ok" "$(cat "$tmp/out")"
	run 0 "$stmlog" report --full "$data"
	silent
	run 0 "$stmlog" report --json "$data"
	same "$name" "$runtime $commits $aborts $entries $threads" "$(for path in .runtime .totals.commits .totals.aborts \
		'.entries#' '.threads#'; do jsonq "$tmp/out" "$path"; done | paste -sd ' ')"
	run 0 "$stmlog" diff --metric=aborts "$data" "$data"
	says "cannot decide: fewer than 4 runs"
	run 0 "$stmlog" merge -o "$tmp/merged" "$data" "$data"
	run 0 "$stmlog" check "$tmp/merged"
	run 0 "$stmlog" export --format=pprof -o "$tmp/pprof" "$data"
	run 0 "$stmlog" info "$data"
	! grep -q '^events ' "$tmp/out" || run 0 "$stmlog" export --format=json -o "$tmp/json" "$data"
done <<'END'
libitm            libitm      300000  6262   7   2
exit              libitm      160026     0   1   3
passive           libitm           0  6060   0   3
haskell           ghc          18001     2   2   3
every-cause       smallstm        28     9  14  30
every-lazy-cause  lazystm         65     9   8  16
tasks             sort_tasks       0     0   0   3
END
claim "recordings of an earlier version are checked, reported, compared, merged and exported"

run 0 "$stmlog" info "$tmp/libitm.data"
same "sections that are skipped" "16 17" "$(sed -n 's/^unknown  *\([0-9]*\) .*/\1/p' "$tmp/out" | paste -sd ' ')"
claim "they have sections that this version skips"
