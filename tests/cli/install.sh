#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A program outside of this tree needs nothing but what `make install` installs: headers, libraries and the file for
# pkg-config. The installed command finds its agents.

. "$(dirname "$0")/cli.inc"

unset PKG_CONFIG_PATH LD_LIBRARY_PATH
prefix=$tmp/usr
make -s install DESTDIR="$tmp/package" PREFIX=/usr/none >/dev/null
make -s install PREFIX="$prefix" >/dev/null
same "files of a package" "$(cd "$prefix" && find . | sort)" "$(cd "$tmp/package/usr/none" && find . | sort)"
claim "DESTDIR and PREFIX are honoured"

# The program is the example of README.md.
sed -n '/^```c$/,/^```$/p' README.md | sed '/^```/d' >"$tmp/example.c"
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
claim "the manual pages are where man finds them"

run 0 "$prefix/bin/stmlog" record -o "$tmp/data" --no-report -- "$O/bench/bank" --threads=2 --operations=1000
run 0 "$prefix/bin/stmlog" record -o "$tmp/data" --no-report --light -- "$O/bench/bank" --threads=2 --operations=1000
run 0 "$prefix/bin/stmlog" record -o "$tmp/data" --no-report --passive -- "$O/bench/bank" --threads=2 --operations=1000
run 0 "$prefix/bin/stmlog" record -o "$tmp/data" --no-report --stacks=full -- "$O/bench/bank" --threads=2 --operations=1000
run 0 "$prefix/bin/stmlog" check "$tmp/data"
claim "the installed command finds its agents"

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
claim "a static program can be linked with the installed agent"
