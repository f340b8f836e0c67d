#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the commands of the README, word for word, on bare systems that debootstrap makes: the line for a bare machine,
# then `make demo` and `make test` in a clone of the last commit. None of the systems has /sys or LANG. Each is removed
# afterwards. Three forms of each release:
#   bare   as root, and nothing else runs
#   busy   as root, beside two busy loops
#   user   as a user who is not root and may call sudo
# No test may fail, and two at most may be skipped; of a user, who can make no group of processes with a limit, three.
#
# On demand (make test-distributions): as long as `make test` for each form of each release, and twice as long for busy.
# Needs root, debootstrap and a Debian mirror.
# usage: [MIRROR=URL] [FORMS="bare busy user"] sh tests/long/distributions.sh [RELEASE...]

. "$(dirname "$0")/systems.inc"

commands=$(sed -n '/^## Build it/,/^## Profile/s/^    \(apt-get .*\|make [a-z]*\)\(  .*\)\{0,1\}$/\1/p' README.md)
[ "$(echo "$commands" | wc -l)" = 3 ] || { echo "FAILED: not the three commands: $commands" && exit 1; }

loops=
end_loops() {
	# shellcheck disable=SC2086 # two processes
	[ -z "$loops" ] || kill $loops 2>/dev/null || :
	loops=
}
trap 'end_loops; rm -rf --one-file-system "$place"' EXIT

begin_loops() {
	for loop in 1 2; do
		sh -c 'while :; do :; done' &
		loops="$loops $!"
	done
}

# prepare FORM ROOT: what is there before the first command of the README. Sets $user and $home.
prepare() {
	user=root home=/root
	if [ "$1" = user ]; then
		user=somebody home=/home/somebody
		within "$2" "useradd --create-home $user &&
			echo '$user ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/$user" >"$place/log" 2>&1 || return 1
	fi
	rm -rf "$2$home/stmlog"
	git clone -q . "$2$home/stmlog"
	within "$2" "chown -R $user: $home"
	[ "$1" != busy ] || begin_loops
}

# is_green MAX: $place/log, of a command, has no test that failed, and at most MAX that were skipped.
is_green() {
	grep -E '^skipped|passed,' "$place/log" || :
	[ "$(grep -c '^skipped' "$place/log")" -le "$1" ] || { echo "more than $1 tests were skipped" && return 1; }
}

# try FORM RELEASE: fails unless each command exits with 0 there.
try() {
	root=$place/$1-$2
	system "$2" "$root" "$([ "$1" != user ] || echo sudo)" && prepare "$1" "$root" || return 1
	echo "$commands" >"$place/commands"
	while read -r command; do
		echo "$1 $2: $command"
		as=$user
		case $command in apt-get*) as=root ;; esac
		within "$root" "$command" "$as" >"$place/log" 2>&1 || { cat "$place/log" && return 1; }
		is_green "$([ "$1" = user ] && echo 3 || echo 2)" || return 1
	done <"$place/commands"
	end_loops
	rm -rf --one-file-system "$root"
}

failed=0
[ $# -gt 0 ] || set -- bookworm trixie
for form in ${FORMS:-bare busy user}; do
	for release; do
		if try "$form" "$release"; then
			echo "ok - the commands of the README work on $release, form $form"
		else
			echo "FAILED: $release, form $form"
			failed=1
		fi
		end_loops
	done
done
exit $failed
