#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Debian packages, as far as it can be seen without building them: each file of `make install` is in one package and no
# other, and the build is told all that it needs. tests/long/deb.sh builds them, and tries them on bare systems.

. "$(dirname "$0")/cli.inc"

debian=$PWD/packaging/debian triplet=x86_64-linux-gnu
make -s install DESTDIR="$tmp/all" PREFIX=/usr LIBDIR=/usr/lib/$triplet >/dev/null

# files_of LIST: the files that the lines of LIST name; each line names some.
files_of() {
	sed "s/\${DEB_HOST_MULTIARCH}/$triplet/" "$debian/$1" | while read -r pattern _; do
		# shellcheck disable=SC2086 # it has *
		(cd "$tmp/all" && find $pattern ! -type d) 2>"$tmp/err" || fail "$1 names no file by $pattern" >&2
	done
}

for package in $(sed -n 's/^Package: //p' "$debian/control"); do
	files_of "$package.install" >"$tmp/$package"
	[ -s "$tmp/$package" ] || fail "$package has no files"
	cat "$tmp/$package" >>"$tmp/packaged"
done
files_of not-installed >>"$tmp/packaged"
(cd "$tmp/all" && find usr ! -type d | sort) >"$tmp/installed"
sort "$tmp/packaged" >"$tmp/sorted"
same "files that are in no package, or in two" "" "$(diff "$tmp/installed" "$tmp/sorted")"
claim "each file of make install is in one package"

grep -q '/bin/stmlog$' "$tmp/stmlog" || fail "no command"
[ "$(wc -l <"$tmp/libstmlog0")" = 1 ] || fail "more than the library: $(cat "$tmp/libstmlog0")"
! grep -v "^usr/include/\|^usr/lib/$triplet/\|^usr/share/man/man3/" "$tmp/libstmlog-dev" || fail "not for development"
claim "the command, the library, and what programs are built with are packages of their own"

# What .ci/packages has for the build, and Debian's builds do not have anyway.
sed -n 's/^\t*\(tool\|deb\)  *[a-z]*  *[^ ]*  *\([^ ]*\).*/\2/p' .ci/packages | tr ',' '\n' | sort -u |
	grep -vx 'gcc\|libc6-dev\|binutils\|mawk\|findutils\|build-essential\|dpkg-dev\|lintian\|debhelper' >"$tmp/needed"
sed -n '/^Build-Depends:/,/^[A-Z].*-/p' "$debian/control" | sed -n 's/^ \([a-z0-9-]*\).*/\1/p' | grep -v '^debhelper' | sort >"$tmp/told"
[ "$(wc -l <"$tmp/needed")" -ge 6 ] || fail "only $(wc -l <"$tmp/needed") packages found"
same "what the build needs and is not told, or the reverse" "" "$(diff "$tmp/needed" "$tmp/told")"
claim "the build is told what .ci/packages has for it"

mkdir "$tmp/tree" "$tmp/bin"
cp -R packaging "$tmp/tree"
printf '#!/bin/sh\nexit 1\n' >"$tmp/bin/git"
chmod +x "$tmp/bin/git"
run 2 env -u DEBFULLNAME -u DEBEMAIL PATH="$tmp/bin:$PATH" sh "$tmp/tree/packaging/deb.sh" 1.2.3 "$tmp/made"
one_line "set DEBFULLNAME and DEBEMAIL"
claim "packages without a maintainer are refused"
