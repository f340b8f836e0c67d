#!/bin/sh
# SPDX-License-Identifier: MIT
#
# For make demo: fetches the libraries of the page for browsers, as make page does, but installs nothing, and does not
# wait for long. Where that fails one line says so, and the command is built without the page.
# usage: sh tools/page/if_npm.sh DIRECTORY      which gets the libraries
set -u
in=$1
log=$in/log

leave_out() {
	rm -f "$in/fetched"
	echo "stmlog: report --html is left out: $*"
	exit 0
}

for command in node npm; do
	command -v $command >/dev/null || leave_out "$command is not installed; make page installs it"
done
echo "stmlog: fetching the libraries of report --html with npm"
mkdir -p "$in"
make -s --no-print-directory PAGE_IN="$in" page-libraries NPM="timeout --foreground ${NPM_SECONDS:-60} npm" \
	NPM_WAITS="--fetch-retries=0 --fetch-timeout=10000" >"$log" 2>&1 || leave_out "npm has not fetched its libraries; see $log"
make -s --no-print-directory PAGE_IN="$in" "$in/page.html" >>"$log" 2>&1 || leave_out "node cannot bundle it; see $log"
