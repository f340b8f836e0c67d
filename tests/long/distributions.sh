#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the commands of the README, word for word, on bare systems that debootstrap makes: the line for a bare machine,
# then `make demo` and `make test` in a clone of the last commit. Each system is removed afterwards.
#
# On demand (make test-distributions): half an hour for each system. Needs root, debootstrap and a Debian mirror.
# usage: [MIRROR=URL] sh tests/long/distributions.sh [RELEASE...]

. "$(dirname "$0")/systems.inc"

commands=$(sed -n '/^## Build it/,/^## Profile/s/^    \(apt-get .*\|make [a-z]*\)\(  .*\)\{0,1\}$/\1/p' README.md)
[ "$(echo "$commands" | wc -l)" = 3 ] || { echo "FAILED: not the three commands: $commands" && exit 1; }

# try RELEASE: fails unless each command exits with 0 there.
try() {
	root=$place/$1
	system "$1" "$root" || return 1
	git clone -q . "$root/root/stmlog"
	echo "$commands" >"$place/commands"
	while read -r command; do
		echo "$1: $command"
		within "$root" "$command" >"$place/log" 2>&1 || { cat "$place/log" && return 1; }
		grep -E 'skipped|passed,' "$place/log" || :
	done <"$place/commands"
	rm -rf --one-file-system "$root"
}

failed=0
[ $# -gt 0 ] || set -- bookworm trixie
for release; do
	if try "$release"; then
		echo "ok - the commands of the README work on a bare $release"
	else
		echo "FAILED: $release"
		failed=1
	fi
done
exit $failed
