#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Compares an event of a timeline with an LTTng-UST event, in one run. Prints why not if LTTng is missing or does not
# run.
# usage: sh bench/lttng.sh [BUILD]

set -u
program=${1:-build}/bench/lttng/event
session=stmlog-bench-$$
log=$(mktemp)
started=

leave() {
	lttng destroy "$session" >"$log" 2>&1
	[ -z "$started" ] || { kill "$started" && wait "$started"; } 2>/dev/null
	rm -f "$log"
}

give_up() {
	echo "event / LTTng-UST: not measured: $1"
	exit 0
}

command -v lttng >/dev/null && [ -x "$program" ] || {
	rm -f "$log"
	give_up "no LTTng here; it takes the packages lttng-tools and liblttng-ust-dev"
}
trap leave EXIT
trap 'exit 130' INT TERM

# Uses the session daemon that runs already, if there is one.
if ! lttng list >"$log" 2>&1; then
	lttng-sessiond --no-kernel >"$log" 2>&1 &
	started=$!
	tries=0
	until lttng list >/dev/null 2>&1; do
		tries=$((tries + 1))
		[ $tries -lt 50 ] || give_up "lttng-sessiond does not answer: $(tail -n 1 "$log")"
		sleep 0.1
	done
fi
{
	lttng create "$session" --snapshot --output="$(dirname "$program")/snapshot" &&
		lttng enable-channel --userspace --session="$session" --overwrite --subbuf-size=512k --num-subbuf=4 memory &&
		lttng enable-event --userspace --session="$session" --channel=memory stmlog_bench:event &&
		lttng start "$session"
} >"$log" 2>&1 || give_up "no session: $(tail -n 1 "$log")"
LTTNG_UST_REGISTER_TIMEOUT=-1 "$program"
