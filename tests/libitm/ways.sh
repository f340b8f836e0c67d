#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Each transaction has the callers by which it was reached, and no others, however they call it: with the program's own
# counts.

. "$(dirname "$0")/../helpers/shell.inc"

rounds=1000
ITM_DEFAULT_METHOD=ml_wt record "$tmp/data" --sample=1 --paths -- "$O/programs/O2/ways" 2 $rounds >"$tmp/out"

# The transaction before has committed from the same stack slot.
"$stmlog" export --format=folded --of=time "$tmp/data" >"$tmp/stacks"
grep -q ';call;take ' "$tmp/stacks" || fail "call() does not call take(): $(cat "$tmp/stacks")"
! grep ';call;' "$tmp/stacks" | grep -v ';call;take ' >"$tmp/others" || fail "call() calls others: $(cat "$tmp/others")"
echo "the place of a begin is its own"
