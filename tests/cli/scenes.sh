#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Whatever a process does (fork, cancel, crash, give up privileges, run out of memory and files), it ends as it would
# without the profiler. make matrix plays each scene many times and with libitm's other methods.

. "$(dirname "$0")/cli.inc"
. tests/cli/scenes.inc

play_all O2
claim "$scenes scenes end as without the profiler, and what was recorded is whole"
