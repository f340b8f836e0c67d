#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The header for vendoring. It compiles alone, and a program that has it needs no library to compile, link or run. The
# same program is profiled if there is a library and somebody asks for a profile.

. "$(dirname "$0")/cli.inc"

mkdir "$tmp/alone" "$tmp/lib"
cp "$O/stmlog-vendor.h" "$tmp/alone"
ln -s "$PWD/$O/libstmlog.so" "$tmp/lib/libstmlog.so.0" # as the loader looks for it
unset LD_LIBRARY_PATH STMLOG_LIBRARY
hidden='-DSTMLOG_INLINE=__attribute__((visibility("hidden")))'

# ---- compiling ----

# compiles COMPILER FLAG...: a file with nothing but the header, included twice.
compiles() {
	compiler=$1
	shift
	command -v "$compiler" >/dev/null || return 0
	printf '#include "stmlog-vendor.h"\n#include "stmlog-vendor.h"\nextern int one;\n' >"$tmp/alone/one.cc"
	cp "$tmp/alone/one.cc" "$tmp/alone/one.c"
	case $compiler in *++) source=one.cc standards="c++11 c++17" ;; *) source=one.c standards="c99 c11" ;; esac
	for standard in $standards; do
		(cd "$tmp/alone" && "$compiler" -std="$standard" -pedantic-errors -Wall -Wextra -Wshadow -Werror "$@" -c -o one.o $source) ||
			fail "$compiler -std=$standard $* does not compile the header"
	done
}
for compiler in gcc clang g++ clang++; do
	for level in -O0 -O2; do
		compiles $compiler $level
		compiles $compiler $level -DSTMLOG_OFF
		compiles $compiler $level -DSTMLOG_LINKED
		compiles $compiler $level "$hidden"
	done
done
printf '#include <stmlog/runtime.h>\n#include "stmlog-vendor.h"\n' >"$tmp/alone/both.c"
! cc -Iinclude -fsyntax-only "$tmp/alone/both.c" 2>"$tmp/err" || fail "the header together with the installed ones is no error"
grep -q 'include either' "$tmp/err" || fail "no reason: $(cat "$tmp/err")"
claim "the header alone compiles as C99 and C++11, C11 and C++17, by gcc and clang"

# program NAME FLAG...: the program in two files, and what else the linker is told; there is no -lstmlog.
program() {
	name=$1
	shift
	for level in -O0 -O2; do
		# shellcheck disable=SC2086
		cc -std=c11 -D_GNU_SOURCE $level -g -Wall -Wextra -Werror -I"$tmp/alone" ${defines-} -c -o "$tmp/c.o" tests/helpers/vendored.c
		# shellcheck disable=SC2086
		c++ -std=c++17 $level -g -Wall -Wextra -Werror -I"$tmp/alone" ${defines-} -c -o "$tmp/cc.o" tests/helpers/vendored_other.cc
		c++ -o "$tmp/$name$level" "$tmp/c.o" "$tmp/cc.o" "$@" -pthread
	done
}

# runs PROFILED COMMAND...: the program counts and is or is not profiled, at both levels of optimisation.
runs() {
	profiled=$1
	shift
	for level in -O0 -O2; do
		run 0 "$@$level"
		same "what $*$level prints" "$profiled" "$(cat "$tmp/out")"
		[ "$profiled" = "0 profiled" ] || silent
		[ "$profiled" != "0 profiled" ] || reports "$tmp/err"
	done
}

# reports FILE: the file has the report, with both sides of the conflict.
reports() {
	grep -q 'self-abort, write-write, VENDORED' "$1" || fail "no such abort: $(cat "$1")"
	grep -q 'where  *vendored_other.cc:9  *lose$' "$1" || fail "not where it lost: $(cat "$1")"
	grep -A 1 'blocked by  thread' "$1" | grep -q '^  *vendored.c:[0-9]*  *main$' || fail "not whom it lost to: $(cat "$1")"
}

program vendored
! readelf -d "$tmp/vendored-O2" | grep NEEDED | grep stmlog || fail "the program needs the library"
! nm -D "$tmp/vendored-O2" | grep -i 'stmlog\| tb_' || fail "the program exports or takes names"

# ---- running ----

runs "0 not profiled" "$tmp/vendored"
runs "0 not profiled" env STMLOG_OPTIONS=timeline=100 "$tmp/vendored"
runs "0 not profiled" env LD_LIBRARY_PATH="$tmp/lib" "$tmp/vendored"
claim "without a library, or if nobody asks, the program runs and nothing is printed"

run 0 env STMLOG_OPTIONS= STMLOG_LIBRARY="$tmp/no.so" "$tmp/vendored-O2"
same "what it prints" "0 not profiled" "$(cat "$tmp/out")"
same "lines of stderr" "1 1" "$(grep -c "^stmlog: nothing is recorded.*$tmp/no.so" "$tmp/err") $(wc -l <"$tmp/err")"
claim "a library that the environment names and that cannot be loaded is reported in one line"

runs "0 profiled" env STMLOG_OPTIONS= LD_LIBRARY_PATH="$tmp/lib" "$tmp/vendored"
runs "0 profiled" env STMLOG_OPTIONS= STMLOG_LIBRARY="$PWD/$O/libstmlog.so" "$tmp/vendored"
runs "0 profiled" env LD_PRELOAD="$PWD/$O/libstmlog.so" "$tmp/vendored"
claim "the library is found where the loader looks, by its variable, and if it is loaded already"

cc -std=c11 -D_GNU_SOURCE -g -Wall -Wextra -Werror -I"$tmp/alone" -o "$tmp/switched" tests/helpers/switched.c -pthread
run 0 env LD_LIBRARY_PATH="$tmp/lib" "$tmp/switched" "report=none:out=$tmp/data"
silent
run 0 "$stmlog" report --json "$tmp/data"
same "commits since it was switched on" 14 "$(jsonq "$tmp/out" .totals.commits)"
run 2 env LD_LIBRARY_PATH="$tmp/lib" "$tmp/switched"
run 0 env LD_LIBRARY_PATH="$tmp/lib" STMLOG_OPTIONS="report=none:out=$tmp/other" "$tmp/switched" "out=$tmp/never"
! [ -e "$tmp/never" ] || fail "the setup's options come before those of the environment"
claim "a process switches it on while it runs"

STMLOG_OPTIONS=timeline=100:report=none:out=$tmp/data LD_LIBRARY_PATH=$tmp/lib "$tmp/vendored-O2" >"$tmp/out"
run 0 "$stmlog" check "$tmp/data"
run 0 "$stmlog" export --format=text "$tmp/data"
says lose
run 0 "$stmlog" record -o "$tmp/recorded" -- "$tmp/vendored-O2"
same "what it prints below record" "0 profiled" "$(cat "$tmp/out")"
"$stmlog" report --by=entry "$tmp/recorded" >"$tmp/text"
reports "$tmp/text"
run 0 "$stmlog" report --json "$tmp/recorded"
same "the runtime and commits" "vendored 2" "$(jsonq "$tmp/out" .runtime) $(jsonq "$tmp/out" .totals.commits)"
claim "stmlog record records it, and its timeline is right"

program needing -Wl,--no-as-needed "$O/libstmlog.so" -Wl,-rpath,"$tmp/lib"
runs "0 profiled" "$tmp/needing"
program exporting -rdynamic -Wl,-u,stmlog_abi_fits "$O/libstmlog.a"
runs "0 profiled" "$tmp/exporting"
defines=-DSTMLOG_LINKED
program linked "$O/libstmlog.a"
runs "0 profiled" "$tmp/linked"
program static -static "$O/libstmlog.a"
runs "0 profiled" "$tmp/static"
defines=-DSTMLOG_OFF
program off
runs "0 not profiled" env STMLOG_OPTIONS= LD_LIBRARY_PATH="$tmp/lib" "$tmp/off"
! nm "$tmp/off-O2" | grep -i 'stmlog\| tb_\|dlopen' || fail "with STMLOG_OFF the program has more than its own"
defines=
claim "linked with the library it is profiled always, with STMLOG_OFF never"

# ---- a library of another ABI ----

abi=$(sed -n 's/^#define STMLOG_ABI //p' include/stmlog/setup.h)
sed -i "s/^#define STMLOG_ABI .*/#define STMLOG_ABI $((abi + 1))/" "$tmp/alone/stmlog-vendor.h"
program newer
for how in STMLOG_OPTIONS=:LD_LIBRARY_PATH="$tmp/lib" LD_PRELOAD="$PWD/$O/libstmlog.so"; do
	# shellcheck disable=SC2046
	run 0 env $(echo "$how" | tr ':' ' ') "$tmp/newer-O2"
	same "what it prints with another ABI" "-$(printf '#include <errno.h>\nEPROTO\n' | cc -E -P - | tail -n 1) not profiled" "$(cat "$tmp/out")"
	one_line "compiled with headers of another library (ABI $((abi + 1)), this one has $abi)"
done
cp "$O/stmlog-vendor.h" "$tmp/alone"
claim "a library of another ABI is refused with one line"

# ---- several modules ----

# The program's other file as a plug-in, with a copy of the header of its own: the same library serves both.
cc -std=c11 -D_GNU_SOURCE -g -I"$tmp/alone" -c -o "$tmp/c.o" tests/helpers/vendored.c
c++ -std=c++17 -g -I"$tmp/alone" -fPIC -shared -o "$tmp/libother.so" tests/helpers/vendored_other.cc
cc -o "$tmp/modules" "$tmp/c.o" -L"$tmp" -lother -Wl,-rpath,"$tmp" -pthread
run 0 "$tmp/modules"
silent
run 0 env STMLOG_OPTIONS= LD_LIBRARY_PATH="$tmp/lib" "$tmp/modules"
reports "$tmp/err"
claim "modules with copies of the header share one library"

# ---- other languages ----

# One file has the functions; the program has their declarations, without a macro and without a body.
printf '#include "stmlog-vendor.h"\n' >"$tmp/functions.c"
cc -std=c11 -O2 -Wall -Wextra -Werror -I"$tmp/alone" "$hidden" -c -o "$tmp/functions.o" "$tmp/functions.c"
printf '#include "stmlog-vendor.h"\n' | cc -std=c11 -E -P -DSTMLOG_LINKED -DSTMLOG_INLINE=extern -I"$tmp/alone" - |
	sed '/^{$/,/^}$/{ s/^}$/;/; t; d; }' | sed '/^static /,/;$/d' >"$tmp/declared.h"
tr '\n' ' ' <"$tmp/declared.h" | grep -oE '(stmlog|tb)_[a-z_]+\(' | tr -d '(' | grep -v '_reader$\|_function$\|stmlog_abi_fits' | sort -u >"$tmp/names"
nm --defined-only "$tmp/functions.o" | sed -n 's/.* T //p' | grep -v '^stmlog_vendor_' | sort >"$tmp/defined"
same "functions that are declared and not defined, or the reverse" "" "$(diff "$tmp/names" "$tmp/defined")"
[ "$(wc -l <"$tmp/names")" -ge 150 ] || fail "only $(wc -l <"$tmp/names") functions"
cat >"$tmp/main.c" <<'END'
#include "declared.h"
static const struct tb_place place = {"main", "main.c", 30};
int main(void)
{
	int error = stmlog_open(0);
	struct stmlog_thread *thread = stmlog_thread_open(0);
	struct stmlog_loss loss = stmlog_loss_of(STMLOG_USER_ABORT, STMLOG_NONE, "DECLARED");
	stmlog_push(thread, tb_place_site(&place));
	stmlog_start(thread);
	stmlog_abort(thread, &loss);
	stmlog_retry(thread);
	stmlog_commit(thread);
	stmlog_pop(thread);
	return error != 0;
}
END
cc -std=c11 -Wall -Wextra -Werror -o "$tmp/declared" "$tmp/main.c" "$tmp/functions.o"
run 0 "$tmp/declared"
silent
run 0 env STMLOG_OPTIONS= LD_LIBRARY_PATH="$tmp/lib" "$tmp/declared"
grep -q 'user-abort, none, DECLARED' "$tmp/err" || fail "no such abort: $(cat "$tmp/err")"
grep -q 'where  *main.c:30  *main$' "$tmp/err" || fail "not where it lost: $(cat "$tmp/err")"
claim "it has every hook as a function, for callers that have declarations only"
