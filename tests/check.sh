#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs one test, prints a line about it, with what it printed if it failed, all at once: others run meanwhile; and adds
# how it ended to a file.
# usage: sh tests/check.sh RESULTS SECONDS NAME COMMAND...

set -u
results=$1 limit=$2 name=$3
shift 3
log=$(mktemp)
trap 'rm -f "$log" "$log.told"' EXIT
trap 'exit 255' INT TERM # xargs goes on after any other
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
