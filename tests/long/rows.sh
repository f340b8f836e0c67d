#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The tests of rows of the first screen, with ten runs of each program instead of two.
#
# On demand (make rows): some five minutes.
# usage: sh tests/long/rows.sh [RUNS]

set -eu
cd "$(dirname "$0")/../.."
export ROW_RUNS="${1:-10}" STMLOG_BUILT=1
status=0
sh tests/cli/rows.sh || [ $? = 77 ] || status=1
sh tests/cli/six_faults.sh || [ $? = 77 ] || status=1
sh tests/ghc/wake.sh || [ $? = 77 ] || status=1
sh tests/ghc/histories.sh || [ $? = 77 ] || status=1
exit $status
