#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the tests of the module for GHC, in tests/ghc/, with newer GHCs than this system has: in systems that debootstrap
# makes, on the last commit. Each system is removed afterwards, unless SYSTEMS names a folder for them.
#
# On demand (make test-ghc-newer): a quarter of an hour for each system. Needs root, debootstrap and a Debian mirror.
# usage: [MIRROR=URL] [SYSTEMS=FOLDER] sh tests/long/ghc_newer.sh [RELEASE...]

. "$(dirname "$0")/systems.inc"

packages=gcc,libc6-dev,make,binutils,mawk,ghc,protobuf-c-compiler,libatomic-ops-dev,libcapstone-dev,libdw-dev,libelf-dev,libjansson-dev
packages=$packages,libprotobuf-c-dev,patch,zlib1g-dev,systemtap-sdt-dev,valgrind
systems=${SYSTEMS:-$place}
log=$place/log

# try RELEASE: fails unless each test passes there.
try() {
	root=$systems/$1 passed=0
	[ -x "$root/usr/bin/ghc" ] || system "$1" "$root" "$packages" || return 1
	rm -rf "$root/root/stmlog"
	git clone -q . "$root/root/stmlog"
	echo "$1: GHC $(within "$root" "ghc --numeric-version")"
	within "$root" "make -s -j2 all build/tests/helpers/jsonq" >"$log" 2>&1 || { tail -n 20 "$log" && return 1; }
	for test in tests/ghc/*.sh; do
		if within "$root" "STMLOG_BUILT=1 timeout -k 1 600 sh $test" >"$log" 2>&1; then
			echo "  ok - $test"
		else
			echo "  FAILED: $test: $(tail -n 5 "$log")"
			passed=1
		fi
	done
	rm -rf "$root/root/stmlog"
	[ -n "${SYSTEMS:-}" ] || rm -rf --one-file-system "$root"
	return $passed
}

failed=0
[ $# -gt 0 ] || set -- trixie sid
for release; do
	try "$release" || failed=1
done
exit $failed
