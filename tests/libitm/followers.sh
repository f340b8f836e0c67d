#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Threads that end before their first check of the interval hand their sums to those that begin later: of a program of
# many short threads most transactions are left alone, and all are counted.

. "$(dirname "$0")/../helpers/shell.inc"

threads=2000 each=50
"$stmlog" record -o "$tmp/data" --no-report -- "$programs/O2/short_lived" $((threads / 50)) $each >/dev/null
"$stmlog" check "$tmp/data" >"$tmp/check" || fail "$(cat "$tmp/check")"
"$stmlog" report --json "$tmp/data" >"$tmp/report"
same commits $((threads * each + 1)) "$(jsonq "$tmp/report" .totals.commits)"
measured=$(jsonq "$tmp/report" .sample.measured)
[ "$measured" -lt $((threads * each / 2)) ] || fail "$measured transactions were measured closely"
