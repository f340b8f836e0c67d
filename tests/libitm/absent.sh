#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A commit waits for a transaction whose thread is off the processor, and loses the processor itself meanwhile: such a
# wait is an entry of its own, with the transaction that it was for, although neither transaction was chosen to be
# measured. The headline has their time.
#
# Not alone: each wait has a meeting point, and no time is compared with another.

. "$(dirname "$0")/../helpers/shell.inc"

rounds=20 sleep_ns=2000000

"$stmlog" record -o "$tmp/data" --no-report -- "$programs/O2/absent_reader" $rounds >/dev/null
"$stmlog" check "$tmp/data" >"$tmp/check" || fail "$(cat "$tmp/check")"
"$stmlog" report --json "$tmp/data" >"$tmp/report"
[ "$(jsonq "$tmp/report" .totals.descheduled_known)" = true ] || skip "the kernel or the C library has no restartable sequences"
measured=$(jsonq "$tmp/report" .sample.measured)

# The entry of all these waits.
i=0
while [ "$(jsonq "$tmp/report" ".entries[$i].detail")" != COMMIT_WAIT ] ||
	[ "$(jsonq "$tmp/report" ".entries[$i].remote.frames[0].function")" != list ]; do
	i=$((i + 1))
	[ "$i" -lt "$(jsonq "$tmp/report" '.entries#')" ] || fail "no entry says that commits waited for list()"
done
same "the function that has waited" enter "$(jsonq "$tmp/report" ".entries[$i].local.frames[0].function")"
count=$(jsonq "$tmp/report" ".entries[$i].count")
[ "$count" -ge $((rounds * 9 / 10)) ] || fail "$count waits of $rounds, with $measured transactions measured"
[ "$(jsonq "$tmp/report" ".entries[$i].measured_ns")" -ge $((count * sleep_ns / 2)) ] ||
	fail "$count waits with only $(jsonq "$tmp/report" ".entries[$i].measured_ns") ns"
# The probability of this, if only those counted that were chosen, is below one in a thousand.
[ "$measured" -lt $((rounds * 20000 / 4)) ] || fail "$measured transactions were measured: nothing is shown"
