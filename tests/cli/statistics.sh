#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The statistics of `stmlog diff` (Mann and Whitney's U, its p, medians with their intervals, Holm's correction) equal
# scipy's to 1e-9, for samples with and without ties.

. "$(dirname "$0")/cli.inc"

# Debian's own python3: Debian's packages of modules are for no other one.
python=/usr/bin/python3
"$python" -c 'import scipy.stats' 2>/dev/null || skip "no python3-scipy to ask"

timeout 500 "$python" tests/helpers/statistics.py "$O/tests/helpers/statistics" 1600 >"$tmp/out" 2>&1 ||
	fail "$(tail -n 3 "$tmp/out")"
cat "$tmp/out"
ties=$(awk '/^normal with ties: True/ { print $NF }' "$tmp/out")
[ "$ties" -ge 500 ] || fail "only $ties large samples with ties"
claim "1,600 random samples, $ties of them large and with ties, agree with scipy"
