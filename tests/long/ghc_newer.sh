#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the tests of the module for GHC, in tests/ghc/, with newer GHCs than this system has: in systems that debootstrap
# makes, on the last commit. Each system is removed afterwards, unless SYSTEMS names a folder for them.
#
# On demand (make test-ghc-newer): a quarter of an hour for each system. Needs root, debootstrap and a Debian mirror.
# usage: [MIRROR=URL] [SYSTEMS=FOLDER] sh tests/long/ghc_newer.sh [RELEASE...]

set -eu
cd "$(dirname "$0")/../.."

skip() {
	echo "$*"
	exit 77
}

[ "$(id -u)" = 0 ] || skip "only root can make a system to try it on"
for command in debootstrap unshare chroot git; do
	command -v $command >/dev/null || skip "no $command to make a system to try it on"
done
packages="gcc libc6-dev make binutils mawk ghc protobuf-c-compiler libatomic-ops-dev libdw-dev libelf-dev libjansson-dev
	libprotobuf-c-dev zlib1g-dev systemtap-sdt-dev"

place=${SYSTEMS:-$(mktemp -d -p "${TMPDIR:-/var/tmp}")}
log=$(mktemp)
trap 'rm -f "$log"; [ -n "${SYSTEMS:-}" ] || rm -rf --one-file-system "$place"' EXIT
trap 'exit 130' INT TERM

# within ROOT COMMAND: runs it in that system. Mounts are visible to the command only, and end with it.
within() {
	# shellcheck disable=SC2016 # the inner shell's
	unshare --mount --propagation private sh -ec '
		mount -t proc proc "$1/proc"
		mount --rbind /dev "$1/dev"
		mount -t tmpfs tmpfs "$1/dev/shm"
		exec env -i HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
			chroot "$1" sh -c "cd /root/stmlog && $2"' sh "$1" "$2" </dev/null
}

make_system() {
	# shellcheck disable=SC2086
	debootstrap --variant=minbase --include="$(echo $packages | tr ' ' ',')" "$1" "$place/$1" ${MIRROR:+"$MIRROR"} >"$log" 2>&1 ||
		{ tail -n 20 "$log" && return 1; }
}

# try RELEASE: fails unless each test passes there.
try() {
	root=$place/$1 passed=0
	[ -x "$root/usr/bin/ghc" ] || make_system "$1" || return 1
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
