#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Builds Debian packages of this tree for the release of Debian on which it runs, and has lintian check them. Debian's
# tools want a folder debian/ in a tree's top, and a changelog; both are made in a copy of the tree, which is removed
# afterwards. The version is the library's, followed by the release: packages for a newer release replace those for an
# older one.
#
# Where `make page` has fetched the libraries of the page of `stmlog report --html`, the page is a part of the command.
#
# The maintainer of packages is who DEBFULLNAME and DEBEMAIL name, or the author of the last commit.
# usage: sh packaging/deb.sh VERSION DIRECTORY: leaves the packages in the directory

set -eu
version=$1 into=$2
cd "$(dirname "$0")/.."
# The copy is built by itself, with Debian's flags.
unset MAKEFLAGS MFLAGS MAKELEVEL CC CFLAGS LDFLAGS O DESTDIR PREFIX LIBDIR

# last_commit FORMAT: of the tree, if it has one
last_commit() {
	git log -1 --format="$1" 2>/dev/null || :
}

# fill_in: the files of debian/ that are made of others
fill_in() {
	sed -i "s/@MAINTAINER@/$(echo "$maintainer" | sed 's,[&/\\],\\&,g')/" debian/control
	cat >debian/changelog <<-END
		stmlog ($full) ${VERSION_CODENAME:-unstable}; urgency=medium

		  * Built from the sources${commit:+, commit $commit}.

		 -- $maintainer  ${date:-$(date -R)}
	END
	{
		printf '%s\n' 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/' \
			'Upstream-Name: stmlog' '' 'Files: *' "$(sed -n 's/^Copyright (c)/Copyright:/p' LICENSE)" 'License: Expat'
		sed '1,/^Copyright/d; /./!d' LICENSE | sed 's/^/ /'
		[ ! -e "$page" ] || node packaging/licences.mjs "$page"
	} >debian/copyright
}

. /etc/os-release
full=$version${VERSION_ID:+~$ID$VERSION_ID}
commit=$(last_commit %h) date=$(last_commit %cD)
maintainer="${DEBFULLNAME:-$(last_commit %an)} <${DEBEMAIL:-$(last_commit %ae)}>"
case $maintainer in
?*" <"?*">") ;;
*)
	echo "stmlog: there is no commit, which would name the packages' maintainer: set DEBFULLNAME and DEBEMAIL" >&2
	exit 2
	;;
esac
rm -rf "$into"
mkdir -p "$into/stmlog"
echo "stmlog: building packages $full for $PRETTY_NAME"
tar -c --exclude=./build --exclude=./.git . | tar -x -C "$into/stmlog"
page=build/page
if command -v node >/dev/null && cmp -s tools/page/web/package-lock.json $page/fetched; then
	mkdir "$into/stmlog/build"
	cp -R $page "$into/stmlog/$page"
else
	echo "stmlog: the packages are without the page of stmlog report --html: its libraries or node are missing; try make page first"
fi
cp -R packaging/debian "$into/stmlog/debian"
(
	cd "$into/stmlog"
	fill_in
	dpkg-buildpackage --no-pre-clean --build=binary --unsigned-changes --unsigned-buildinfo
) >"$into/log" 2>&1 || {
	tail -n 40 "$into/log"
	echo "stmlog: the packages were not built; all that was said is in $into/log" >&2
	exit 1
}
rm -r "$into/stmlog"
(cd "$into" && lintian --fail-on error --allow-root ./*.changes)
echo "stmlog: packages are in $into:"
(cd "$into" && ls ./*.deb)
