#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The instructions of runtimes/tinystm/README.md: building the module for a source tree, and linking it to a program
# that knows nothing of stmlog. The tree has the stand-in for TinySTM.

. "$(dirname "$0")/../helpers/shell.inc"

tree=$tmp/tinystm
mkdir -p "$tree/include"
cp tests/tinystm/stm.h "$tree/include"

refused() {
	status=0
	make -s tinystm "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	[ "$status" -ne 0 ] || fail "make tinystm $* succeeded"
	same "lines of make tinystm $*" 1 "$(wc -l <"$tmp/out")"
	grep -q 'make tinystm TINYSTM=/path/to/tinystm' "$tmp/out" || fail "it says: $(cat "$tmp/out")"
}
unset TINYSTM
refused
refused TINYSTM="$tmp/nowhere"

# Into a directory of its own: a user may have built the module for the real TinySTM here.
make -s WERROR=1 O="$tmp/build" TINYSTM="$tree" "$tmp/build/libstmlog-tinystm.a" >/dev/null

cat >"$tmp/prog.c" <<'END'
#include "stand_in.h"

static void lose_twice(void)
{
	stand_in_start();
	stand_in_abort(STAND_IN_VAL_READ);
	stand_in_abort(STAND_IN_VAL_READ);
	stand_in_commit();
}

int main(void)
{
	stm_init();
	stm_init_thread();
	lose_twice();
	stm_exit_thread();
	return 0;
}
END
cc -std=c11 -O1 -g -Itests/tinystm -o "$tmp/prog" "$tmp/prog.c" tests/tinystm/stand_in.c -Wl,--wrap=stm_init \
	"$tmp/build/libstmlog-tinystm.a" "$O/libstmlog.a" -pthread
"$stmlog" record --no-report -o "$tmp/data" -- "$tmp/prog"
"$stmlog" check "$tmp/data"
"$stmlog" report --full "$tmp/data" >"$tmp/report"
grep -q ' tinystm  *1 thread' "$tmp/report" || fail "not by tinystm: $(cat "$tmp/report")"
grep -q '1 time.*self-abort, write-read, VAL_READ' "$tmp/report" || fail "no abort: $(cat "$tmp/report")"
grep -q 'prog.c:6 .*lose_twice' "$tmp/report" || fail "not where: $(cat "$tmp/report")"

# Without the linker's option the module is not in the program, and nothing is printed.
cc -std=c11 -O1 -g -Itests/tinystm -o "$tmp/plain" "$tmp/prog.c" tests/tinystm/stand_in.c \
	"$tmp/build/libstmlog-tinystm.a" "$O/libstmlog.a" -pthread
same "what a program linked without the option says" "" "$("$tmp/plain" 2>&1)"
