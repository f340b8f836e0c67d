#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `make demo` says what it waits for. It fetches the libraries of the page where npm answers; where it does not, one line
# says so, and make goes on. (What it shows: tests/libitm/demo.sh.)

. "$(dirname "$0")/cli.inc"

mkdir "$tmp/bin"
for command in cat cmp cp make mkdir rm sh sleep timeout; do
	ln -s "$(command -v $command)" "$tmp/bin"
done

# left_out WORDS: what make demo says then, and nothing is taken for libraries
left_out() {
	run 0 env PATH="$tmp/bin" NPM_SECONDS=1 sh tools/page/if_npm.sh "$tmp/page"
	silent
	same "last line" "stmlog: report --html is left out: $1" "$(tail -n 1 "$tmp/out")"
	[ ! -e "$tmp/page/fetched" ] || fail "libraries are taken for fetched"
}

# program NAME: a script
program() {
	cat >"$tmp/bin/$1"
	chmod +x "$tmp/bin/$1"
}

left_out "node is not installed; make page installs it"
echo 'exit 1' | program node
left_out "npm is not installed; make page installs it"
same "lines" 1 "$(wc -l <"$tmp/out")"
printf '#!/bin/sh\necho no network >&2\nexit 1\n' | program npm
left_out "npm has not fetched its libraries; see $tmp/page/log"
grep -q 'no network' "$tmp/page/log" || fail "the log has not what npm said: $(cat "$tmp/page/log")"
same "lines" "stmlog: fetching the libraries of report --html with npm" "$(sed '$d' "$tmp/out")"
printf '#!/bin/sh\nexec sleep 1000\n' | program npm
left_out "npm has not fetched its libraries; see $tmp/page/log"
printf '#!/bin/sh\nexit 0\n' | program npm
left_out "node cannot bundle it; see $tmp/page/log"
claim "without npm, without network, and with a node that is too old, one line says that the page is left out"

# As on a bare machine, where the packages are yet to be installed.
run 0 make -sn demo CC="$tmp/bin/cc"
silent
for step in .ci/packages tools/page/if_npm.sh "stmlog: building" "stmlog: recording"; do
	says "$step"
done
claim "it installs packages, fetches the page, and says that it builds and records; a missing compiler is no complaint"
