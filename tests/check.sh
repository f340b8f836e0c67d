#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs one test and appends to the file RESULTS how it ended. Prints one line, and the last 200 lines of output of a
# test that failed, in one write, because other tests run at the same time.
# usage: sh tests/check.sh RESULTS SECONDS NAME COMMAND...

set -u
results=$1 limit=$2 name=$3
shift 3
log=$(mktemp)
trap 'rm -f "$log" "$log.told"' EXIT
trap 'exit 255' INT TERM # on any other status xargs would go on
began=$(date +%s)
timeout -k 10 "$limit" "$@" >"$log" 2>&1 </dev/null
status=$?
took=$(($(date +%s) - began))
{
	case $status in
	0)
		echo "passed" >>"$results"
		echo "ok      $name (${took} s)"
		;;
	77)
		echo "skipped" >>"$results"
		echo "skipped $name: $(tail -n 1 "$log")"
		;;
	*)
		echo "failed" >>"$results"
		echo "FAILED  $name: status $status$([ $status -lt 124 ] || echo " (124: longer than $limit s)")"
		tail -n 200 "$log" | sed 's/^/        /'
		;;
	esac
} >"$log.told"
cat "$log.told"
