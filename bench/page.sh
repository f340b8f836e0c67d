#!/bin/sh
# SPDX-License-Identifier: MIT
#
# How fast a large page of `stmlog report --html` is, by the page's own clock (performance.now) in a headless Chromium:
# of a recording with 200,000 events of a timeline and 5,000 entries.
#   opened   from the request to the first frame with all sections
#   redraw   one drawing of the timeline, while it is zoomed by the wheel and dragged
#   frame    from the turn of the wheel to the frame that shows it; a screen has one each 16.7 ms
#   sort, filter, open   the same of an entry, of all 5,000
#   part     the same when a part of the run is drawn over the strip
# Medians, with the 90th percentile and the most, in milliseconds.
# usage: sh bench/page.sh [BUILD [EVENTS [ENTRIES [ROUNDS]]]]

set -eu
O=${1:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
	echo "page.sh: no Chromium" >&2
	exit 1
}
"$O/bench/scale/recording" events "${2:-200000}" "$work/data" "${3:-5000}" >/dev/null
"$O/stmlog" report --html="$work/page.html" "$work/data"
BROWSER=$browser MODULES=build/page-tests/node_modules timeout 300 node bench/page/page.mjs "$work/page.html" "${4:-5}"
