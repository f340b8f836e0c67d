#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `make deb` on a bare system, in a clone of the last commit; then its packages on another bare system of the same
# release: they install, have exactly the files of `make install`, profile a program, let another one embed the library,
# and leave nothing when they are removed.
#
# On demand (make test-deb): some ten minutes for each release. Needs root, debootstrap and a Debian mirror.
# usage: [MIRROR=URL] sh tests/long/deb.sh [RELEASE...]

. "$(dirname "$0")/systems.inc"

# The files that `make install` puts below the folder $1, in the packages' form: manual pages and long documents are
# compressed, and the licence is in the copyright of each package.
installed() {
	(cd "$1" && find . ! -type d) | sed -e 's,^\.,,' \
		-e '/doc\/stmlog\/LICENSE$/d' -e '/\/man[137]\//s,$,.gz,' | LC_ALL=C sort
}

# The files of the packages, of which $1 has the list. Debian adds a copyright and a changelog to each.
packaged() {
	sed -e '/^$/d' -e '/\/doc\/[^/]*\/\(copyright\|changelog.gz\)$/d' -e 's,/README\.md\.gz$,/README.md,' "$1" | LC_ALL=C sort
}

# builds ROOT: `make deb` there; all of it without a complaint of lintian's.
builds() {
	git clone -q . "$1/root/stmlog"
	on "$1" "apt-get update && apt-get install -y make git" || return 1
	on "$1" "make deb" || return 1
	! grep '^[EW]: ' "$place/log" || { echo "FAILED: lintian complains" && return 1; }
	# shellcheck disable=SC2016 # the other system's shell
	on "$1" 'make -s install PREFIX=/usr LIBDIR=/usr/lib/$(gcc -print-multiarch) DESTDIR=/root/installed'
}

# installs ROOT: the packages, which are in /root there, and nothing but what they need.
installs() {
	on "$1" "apt-get update && apt-get install -y --no-install-recommends /root/*.deb" || return 1
	on "$1" 'stmlog --version && stmlog help && ldconfig -p | grep -F libstmlog.so.0'
}

# profiles ROOT: the tutorial's program, which is among the documents.
profiles() {
	on "$1" "apt-get install -y --no-install-recommends gcc libc6-dev pkg-config cmake make" || return 1
	on "$1" "gcc -O2 -g -fgnu-tm -pthread -o cache /usr/share/doc/stmlog/docs/cache.c" || return 1
	on "$1" "export ITM_DEFAULT_METHOD=ml_wt; stmlog record --sample=1 -- ./cache && stmlog check && stmlog report --json" || return 1
	grep -q '"commits": *1[0-9]\{5\}' "$place/log" || { echo "FAILED: not all commits" && return 1; }
	grep -q 'cache.c' "$place/log" || { echo "FAILED: no source is named" && return 1; }
	on "$1" "gcc -O2 -fgnu-tm -static -pthread -o static /usr/share/doc/stmlog/docs/cache.c @/usr/lib/stmlog/stmlog-itm.wrap &&
		ITM_DEFAULT_METHOD=ml_wt stmlog record -o static.data --no-report -- ./static && stmlog check static.data"
}

# embeds ROOT: the example of docs/embedding.md, built with what pkg-config and CMake tell.
embeds() {
	# shellcheck disable=SC2016 # the page's, and the other system's shell
	sed -n '/^```c$/,/^```$/p' docs/embedding.md | sed '/^```/d' >"$1/root/stmlog/example.c"
	# shellcheck disable=SC2016
	on "$1" 'gcc -O2 -g -o example example.c $(pkg-config --cflags --libs stmlog) -pthread && ./example | grep -x 200000' || return 1
	printf '%s\n' 'cmake_minimum_required(VERSION 3.13)' 'project(example C)' 'find_package(stmlog REQUIRED)' \
		'add_executable(shared example.c)' 'target_link_libraries(shared stmlog::stmlog)' >"$1/root/stmlog/CMakeLists.txt"
	on "$1" 'cmake -B built && cmake --build built && built/shared | grep -x 200000'
}

# leaves_nothing ROOT
leaves_nothing() {
	on "$1" "apt-get purge -y stmlog libstmlog-dev libstmlog0 && find / -xdev -path '*stmlog*' ! -path '/root/*' ! -path '/proc/*'" || return 1
	! grep '^/' "$place/log" || { echo "FAILED: these files are left" && return 1; }
}

# try RELEASE
try() {
	clean=$place/$1 builder=$place/$1-builder
	system "$1" "$clean" || return 1
	cp -a "$clean" "$builder"
	builds "$builder" || return 1
	cp "$builder"/root/stmlog/build/deb/*stmlog*.deb "$clean/root"
	rm -f "$clean"/root/*-dbgsym_*
	echo "ok - make deb builds packages on a bare $1: $(cd "$clean/root" && echo ./*.deb)"
	installs "$clean" || return 1
	on "$clean" 'dpkg -L stmlog libstmlog0 libstmlog-dev | sort -u | while read -r file; do [ -d "$file" ] && [ ! -L "$file" ] || echo "$file"; done' || return 1
	packaged "$place/log" >"$place/packaged"
	installed "$builder/root/installed" >"$place/installed"
	diff "$place/installed" "$place/packaged" || { echo "FAILED: files of make install, and of the packages" && return 1; }
	echo "ok - they install on a bare $1, with exactly the files of make install"
	profiles "$clean" || return 1
	embeds "$clean" || return 1
	echo "ok - there they profile a program, and another one embeds the library"
	leaves_nothing "$clean" || return 1
	echo "ok - nothing is left of them when they are removed"
	rm -rf --one-file-system "$clean" "$builder"
}

try_each "$@"
