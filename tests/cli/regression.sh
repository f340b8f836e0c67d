#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tests/long/regression.sh in the default mode, with two repetitions, one of which may fail by chance.
#
# Alone: it compares how long programs wait.

exec sh "$(dirname "$0")/../long/regression.sh" 2 1 --sample=auto
