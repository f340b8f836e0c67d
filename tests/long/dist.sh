#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The sources as `make dist` packs them, on bare systems without git and npm: `make demo` builds them there with the page,
# and shows its report; the command prints the version that the file's name has.
#
# On demand (make test-dist): some five minutes for each release. Needs root, debootstrap and a Debian mirror.
# usage: [MIRROR=URL] sh tests/long/dist.sh FILE [RELEASE...]

. "$(dirname "$0")/systems.inc"

file=$1
shift
name=$(basename "$file" .tar.gz)

# try RELEASE
try() {
	root=$place/$1
	system "$1" "$root" || return 1
	tar -xzf "$file" -C "$root/root" && mv "$root/root/$name" "$root/root/stmlog" || return 1
	on "$root" "apt-get update && apt-get install -y make" || return 1
	on "$root" "! command -v git npm node && make demo" || return 1
	grep -q 'of the time on processors is lost' "$place/log" || { echo "FAILED: no report" && return 1; }
	on "$root" "build/stmlog report --html=build/page.html build/demo.data && [ -s build/page.html ]" || return 1
	on "$root" "build/stmlog --version | grep -x 'stmlog ${name#stmlog-}'" || return 1
	echo "ok - make demo builds $name with its page on a bare $1"
	rm -rf --one-file-system "$root"
}

try_each "$@"
