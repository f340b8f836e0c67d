#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The tests of the rules of findings, with ten runs of each program instead of two.
#
# On demand (make rules): some ten minutes.
# usage: sh tests/long/rules.sh [RUNS]

set -eu
cd "$(dirname "$0")/../.."
export RULE_RUNS="${1:-10}" STMLOG_BUILT=1
status=0
sh tests/cli/rules.sh || status=$?
sh tests/cli/six_faults.sh || status=$?
sh tests/ghc/herd.sh || [ $? = 77 ] || status=1
sh tests/ghc/histories.sh || [ $? = 77 ] || status=1
exit $status
