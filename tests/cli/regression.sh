#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tests/long/regression.sh, but twice, and chance may have its way once.

exec sh "$(dirname "$0")/../long/regression.sh" 2 1
