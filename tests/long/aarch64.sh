#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Builds all but the agents for libitm for AArch64, and runs the unit tests there: below qemu-user, or as they are if
# this is such a machine. The emulator runs the instructions in x86's order, so this shows nothing of weak memory:
# make test-litmus does.
#
# On demand (make test-aarch64): ten minutes. The compiler and the emulator are packages of this machine. The libraries
# for AArch64 are not installed here: apt-get fetches the packages with a state and a cache of its own, and they are
# unpacked below build/.
# usage: sh tests/long/aarch64.sh [PATTERN]       PATTERN: only tests whose name contains it

set -eu
cd "$(dirname "$0")/../.."
top=$PWD
place=$top/build/aarch64-root
pattern=${1:-}
libraries="libc6-dev libatomic-ops-dev libcapstone-dev libcmocka-dev libdw-dev libelf-dev libjansson-dev libprotobuf-c-dev zlib1g-dev libstdc++6"
headers="valgrind systemtap-sdt-dev" # without what they depend on

skip() {
	echo "$*"
	exit 77
}

# apt ARGUMENTS...: apt-get, as if on a machine of this kind where nothing is installed.
apt() {
	apt-get -q -o Dir::State="$place/apt" -o Dir::State::status="$place/apt/status" -o Dir::Cache="$place/apt" \
		-o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o APT::Sandbox::User=root "$@" >"$place/log" 2>&1 || {
		tail -n 5 "$place/log"
		echo "FAILED: apt-get $*"
		exit 1
	}
}

fetch() {
	mkdir -p "$place/apt/lists/partial" "$place/apt/archives/partial" "$place/root"
	: >"$place/apt/status"
	apt update
	# shellcheck disable=SC2086 # several packages each
	(cd "$place/apt/archives" && apt download $headers)
	# shellcheck disable=SC2086
	apt install -y --download-only --no-install-recommends $libraries
}

# Links lead to places in the same tree, as they would below a real root.
unpack() {
	for package in "$place"/apt/archives/*.deb; do
		dpkg-deb -x "$package" "$place/root"
	done
	[ -e "$place/root/lib" ] || ln -s usr/lib "$place/root/lib"
	find "$place/root" -type l -lname '/*' | while read -r link; do
		ln -sfn "$place/root$(readlink "$link")" "$link"
	done
	touch "$place/complete"
}

if [ "$(uname -m)" = aarch64 ]; then
	emulator=
	set --
else
	for command in apt-get dpkg-deb; do
		command -v $command >/dev/null || skip "no $command to fetch libraries for AArch64 with"
	done
	sh .ci/packages aarch64
	[ -e "$place/complete" ] || { rm -rf "$place" && fetch && unpack; }
	emulator="qemu-aarch64 -L $place/root"
	set -- CROSS=aarch64-linux-gnu- SYSROOT="$place/root"
fi

unset MAKEFLAGS MFLAGS MAKELEVEL
make -s -j"$(nproc)" "$@" WERROR=1 all tests
results=$(mktemp)
trap 'rm -f "$results" "$results".data*' EXIT
trap 'exit 130' INT TERM
built=build${emulator:+/aarch64}
# shellcheck disable=SC2086 # the emulator is several words, or none
make -s "$@" list-tests | { grep -F -- "$pattern" || :; } |
	xargs -P "$(nproc)" -I '{}' sh tests/check.sh "$results" 600 '{} (aarch64)' $emulator "$built/{}"

# A program that embeds the library records itself, and the command reads that.
# shellcheck disable=SC2016,SC2086
sh tests/check.sh "$results" 60 "a recording (aarch64)" sh -euc '
	built=$1 data=$2
	shift 2
	STMLOG_OPTIONS=out=$data "$@" "$built/every-lazy-cause"
	"$@" "$built/stmlog" check "$data"
	"$@" "$built/stmlog" report "$data"
	"$@" "$built/stmlog" record -- true 2>"$data.told" || :
	grep "the agents for libitm are for x86-64 only" "$data.told"
' sh "$built" "$results.data" $emulator
failed=$(grep -c ^failed "$results" || :)
echo "$(grep -c ^passed "$results" || :) passed, $failed failed"
[ "$failed" -eq 0 ] && [ -s "$results" ]
