#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A program outside of this tree needs nothing but what `make install` installs: headers, libraries and the file for
# pkg-config. The installed command finds its agents. LIBDIR is honoured, and `make uninstall` removes all of it.

. "$(dirname "$0")/cli.inc"

unset PKG_CONFIG_PATH LD_LIBRARY_PATH
prefix=$tmp/usr
make -s install DESTDIR="$tmp/package" PREFIX=/usr/none >/dev/null
make -s install PREFIX="$prefix" >/dev/null
same "files of a package" "$(cd "$prefix" && find . | sort)" "$(cd "$tmp/package/usr/none" && find . | sort)"
claim "DESTDIR and PREFIX are honoured"

# The program is the example of docs/embedding.md.
sed -n '/^```c$/,/^```$/p' docs/embedding.md | sed '/^```/d' >"$tmp/example.c"
cd "$tmp"
PKG_CONFIG_PATH=$prefix/lib/pkgconfig
export PKG_CONFIG_PATH
# shellcheck disable=SC2046
cc -O2 -g -Wall -Wextra -Werror -o shared example.c $(pkg-config --cflags --libs stmlog) -pthread
# shellcheck disable=SC2046
cc -O2 -g -Wall -Wextra -Werror -o static example.c $(pkg-config --cflags stmlog) \
	-Wl,-Bstatic $(pkg-config --libs stmlog) -Wl,-Bdynamic -pthread
LD_LIBRARY_PATH=$prefix/lib
export LD_LIBRARY_PATH
for program in shared static; do
	# On a busy machine the two threads may never conflict; then nothing is lost.
	for _ in 1 2 3 4 5 6 7 8 9; do
		run 0 "./$program"
		same "what $program counted" 200000 "$(cat out)"
		grep -q 'Nothing was lost' err || break
	done
	grep -q 'add_one' err || fail "the report of $program does not name add_one: $(cat err)"
done
claim "a program outside builds with pkg-config alone, shared and static"

readelf -d "$prefix/lib/libstmlog.so" | grep -q 'SONAME.*\[libstmlog\.so\.[0-9]*\]' || fail "no soname"
cd "$OLDPWD"
find "$prefix/include/stmlog" -name '*.h' ! -name stmlog-vendor.h -exec cat {} + | grep -v '^#' | tr '\n' ' ' >"$tmp/headers"
grep -oE 'STMLOG_(API|INLINE|PRIVATE|PRIVATE_INLINE) [^;{]*' "$tmp/headers" | sed 's/(.*//; s/.*[ *]//' | sort -u >"$tmp/declared"
nm -D --defined-only "$prefix/lib/libstmlog.so" | awk '$2 != "A" { print $3 }' | sed 's/@.*//' | sort >"$tmp/exported"
same "what is exported and not declared, or the reverse" "" "$(diff "$tmp/declared" "$tmp/exported")"
nm -g --defined-only "$prefix/lib/libstmlog.a" | awk 'NF == 3 { print $3 }' | sort >"$tmp/offered"
same "what the archive offers and nobody declares" "" "$(diff "$tmp/declared" "$tmp/offered")"
claim "exactly what the headers declare is exported, and offered by the archive"

[ -e "$prefix/share/man/man3/stmlog_start.3" ] || fail "no manual page of stmlog_start()"
for page in man1/stmlog.1 man1/stmlog-record.1 man3/stmlog.3 man7/stmlog-options.7; do
	[ -s "$prefix/share/man/$page" ] || fail "no manual page $page"
done
claim "the manual pages are where man finds them"

for file in README.md docs/*.md docs/cache.c docs/first-screen.svg docs/Shop.hs; do
	cmp "$file" "$prefix/share/doc/stmlog/$file" || fail "no $file"
done
claim "the README and its pages, with the files that they show, are among the documents"

run 0 "$prefix/bin/stmlog" record -o "$tmp/data" --no-report -- "$O/bench/bank" --threads=2 --operations=1000
run 0 "$prefix/bin/stmlog" record -o "$tmp/data" --no-report --objects -- "$O/bench/bank" --threads=2 --operations=1000
run 0 "$prefix/bin/stmlog" check "$tmp/data"
claim "the installed command finds its agents"

if has_page; then
	run 0 "$prefix/bin/stmlog" report --html="$tmp/page.html" "$tmp/data"
	grep -q 'id="data-report"' "$tmp/page.html" || fail "no data in the page"
	claim "the installed command writes pages and needs no file for them"
fi

# The .wrap file in the package names the archive where it will be installed, not where the package was made.
same "where the package's archive will be" /usr/none/lib/stmlog/libstmlog-itm.a \
	"$(tail -n 1 "$tmp/package/usr/none/lib/stmlog/stmlog-itm.wrap")"
cat >"$tmp/own.c" <<'EOF'
static int counter;
int main(void) { __transaction_atomic { counter++; } return counter - 1; }
EOF
cc -fgnu-tm -O2 -static -pthread -o "$tmp/own" "$tmp/own.c" "@$prefix/lib/stmlog/stmlog-itm.wrap"
run 0 "$prefix/bin/stmlog" record -o "$tmp/data" --no-report -- "$tmp/own"
silent
run 0 "$prefix/bin/stmlog" report --json "$tmp/data"
cp "$tmp/out" "$tmp/report"
same "commits of a static program" 1 "$(jsonq "$tmp/report" .totals.commits)"
cd "$tmp"
run 0 "$tmp/own"
grep -q '^committed .* 1$' "$tmp/err" || fail "no report of the static program: $(cat "$tmp/err")"
cc -fgnu-tm -O2 -pthread -o "$tmp/own" "$tmp/own.c"
run 0 env LD_PRELOAD="$prefix/lib/stmlog/libstmlog-itm.so" "$tmp/own"
grep -q '^committed .* 1$' "$tmp/err" || fail "no report by the installed agent: $(cat "$tmp/err")"
cd "$OLDPWD"
claim "a static program can be linked with the installed agent, and prints its report"

other=$tmp/other lib=$tmp/lib64
make -s install PREFIX="$other" LIBDIR="$lib" >/dev/null
same "libraries in LIBDIR" "cmake libstmlog.a libstmlog.so libstmlog.so.0 pkgconfig " "$(cd "$lib" && echo ./* | sed 's,\./,,g') "
[ ! -e "$other/lib/libstmlog.a" ] || fail "libraries are in PREFIX/lib as well"
PKG_CONFIG_PATH=$lib/pkgconfig
# shellcheck disable=SC2046
cc -O2 -g -o "$tmp/libdir" "$tmp/example.c" $(pkg-config --cflags --libs stmlog) -pthread
run 0 env LD_LIBRARY_PATH="$lib" STMLOG_OPTIONS=report=none "$tmp/libdir"
cat >"$tmp/print.c" <<'EOF'
#include <stdio.h>
#include <stdlib.h>
int main(void) { return puts(getenv("STMLOG_LIBRARY")) < 0; }
EOF
cc -o "$tmp/print" "$tmp/print.c"
unset LD_LIBRARY_PATH
run 0 "$other/bin/stmlog" record -o "$tmp/none" --no-report -- "$tmp/print"
same "the library that the command finds" "$lib/libstmlog.so.0" "$(readlink -f "$(cat "$tmp/out")")"
run 0 "$other/bin/stmlog" record -o "$tmp/data" --no-report -- "$O/bench/bank" --threads=2 --operations=1000
silent
claim "LIBDIR is honoured, and the command finds its library there"

echo ours >"$lib/ours"
echo ours >"$other/share/man/man1/ours.1"
make -s uninstall PREFIX="$other" LIBDIR="$lib"
same "files left by uninstall" "$lib/ours $other/share/man/man1/ours.1 " \
	"$(find "$lib" "$other" ! -type d | tr '\n' ' ')"
[ ! -e "$other/include/stmlog" ] || fail "the directory of the headers is left"
[ ! -e "$other/lib/stmlog" ] || fail "the directory of the agents is left"
[ ! -e "$other/share/doc/stmlog" ] || fail "the directory of the documents is left"
[ ! -e "$other/share/stmlog" ] || fail "a directory of ours is left"
[ ! -e "$lib/cmake/stmlog" ] || fail "the directory of the files for CMake is left"
make -s uninstall DESTDIR="$tmp/package" PREFIX=/usr/none
same "files left in a package" "" "$(find "$tmp/package" ! -type d)"
claim "uninstall removes what install has put there, and nothing else"

make -s help >"$tmp/help"
sed -n 's/^\.PHONY: //p' Makefile ./*/rules.mk | tr ' ' '\n' >"$tmp/targets"
[ "$(wc -l <"$tmp/targets")" -ge 20 ] || fail "only $(wc -l <"$tmp/targets") targets found"
# Left out: targets that others are made of.
grep -Ev '^(packages-.*|check|list-tests|no-agent|no-tm|micro|page-libraries|page-tests|page-if-npm|scale|tinystm)$' "$tmp/targets" | while read -r target; do
	grep -qE -e "(make |also |[ ,;])(${target}|-${target#*-})([ ,;:]|\$)" "$tmp/help" || printf '%s ' "$target"
done >"$tmp/untold"
same "targets that make help does not tell" "" "$(cat "$tmp/untold")"
claim "make help tells all targets"
