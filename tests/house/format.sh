#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The sources are as clang-format 14 leaves them; other versions break some lines elsewhere.

. "$(dirname "$0")/../helpers/shell.inc"

clang-format --version 2>/dev/null | grep -q 'version 14\.' || skip "no clang-format 14"
git rev-parse --git-dir >/dev/null 2>&1 || skip "no git, which says what files there are"
make -s format-check
