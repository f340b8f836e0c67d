#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A transaction has the function that has begun it as its caller, also if the transaction before has committed from the
# same slot of the stack.

. "$(dirname "$0")/../helpers/shell.inc"

rounds=1000
ITM_DEFAULT_METHOD=ml_wt record "$tmp/data" --sample=1 --paths -- "$O/programs/O2/ways" 2 $rounds >"$tmp/out"

"$stmlog" export --format=folded --of=time "$tmp/data" >"$tmp/stacks"
grep -q ';call;take ' "$tmp/stacks" || fail "call() does not call take(): $(cat "$tmp/stacks")"
! grep ';call;' "$tmp/stacks" | grep -v ';call;take ' >"$tmp/others" || fail "call() calls others: $(cat "$tmp/others")"
echo "the place of a begin is its own"
