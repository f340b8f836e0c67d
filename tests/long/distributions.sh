#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the commands of the README, word for word, on bare systems that debootstrap makes: the line for a bare machine,
# then `make demo` and `make test` in a clone of the last commit. Each system is removed afterwards.
#
# On demand (make test-distributions): half an hour for each system. Needs root, debootstrap and a Debian mirror.
# usage: [MIRROR=URL] sh tests/long/distributions.sh [RELEASE...]

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
commands=$(sed -n -e 's/^    \(apt-get .*\)/\1/p' -e 's/^    \(make [a-z]*\)  .*/\1/p' README.md)
[ "$(echo "$commands" | wc -l)" = 3 ] || { echo "FAILED: not the three commands: $commands" && exit 1; }

place=$(mktemp -d -p "${TMPDIR:-/var/tmp}")
trap 'rm -rf --one-file-system "$place"' EXIT
trap 'exit 130' INT TERM

# within ROOT COMMAND: runs it in that system. Mounts are visible to the command only, and end with it.
within() {
	# shellcheck disable=SC2016 # the inner shell's
	unshare --mount --propagation private sh -ec '
		mount -t proc proc "$1/proc"
		mount --rbind /sys "$1/sys"
		mount --rbind /dev "$1/dev"
		mount -t tmpfs tmpfs "$1/dev/shm"
		exec env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
			chroot "$1" sh -c "cd /root/stmlog && $2"' sh "$1" "$2" </dev/null
}

# try RELEASE: fails unless each command exits with 0 there.
try() {
	root=$place/$1
	debootstrap --variant=minbase "$1" "$root" ${MIRROR:+"$MIRROR"} >"$place/log" 2>&1 || { tail -n 20 "$place/log" && return 1; }
	git clone -q . "$root/root/stmlog"
	# Certificates that this machine has added, for tests that fetch files.
	cp -R /usr/local/share/ca-certificates "$root/usr/local/share/" 2>/dev/null || :
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
