#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Two copies of the library in one process, as with two runtimes that are linked with it: each leaves its recording,
# though both have the same options. So do two processes at a time; one after the other, the second replaces the file.

. "$(dirname "$0")/../helpers/shell.inc"

cat >"$tmp/runtime.h" <<'END'
#include <stmlog/runtime.h>

static void transact(const char *name, int transactions)
{
	const struct stmlog_setup setup = {.runtime = name};
	if (stmlog_open(&setup) != 0)
		return;
	struct stmlog_thread *thread = stmlog_thread_open(NULL);
	for (int i = 0; i < transactions; i++) {
		stmlog_start(thread);
		stmlog_commit(thread);
	}
}
END
cat >"$tmp/plugin.c" <<'END'
#include "runtime.h"
void other_runtime(void);
void other_runtime(void) { transact("second", 300); }
END
cat >"$tmp/main.c" <<'END'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "runtime.h"
void other_runtime(void);
int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		other_runtime();
	transact("first", 200);
	return 0;
}
END
flags="-std=gnu11 -O2 -g -Wall -Wextra -Werror -Iinclude -I$tmp"
# shellcheck disable=SC2086
cc $flags -fPIC -shared -Wl,--exclude-libs,ALL -Wl,-Bsymbolic -o "$tmp/libother.so" "$tmp/plugin.c" "$O/libstmlog.a" -pthread
# shellcheck disable=SC2086
cc $flags -o "$tmp/main" "$tmp/main.c" "$O/libstmlog.a" -L"$tmp" -lother -Wl,-rpath,"$tmp" -pthread

# expect FILE RUNTIME COMMITS
expect() {
	"$stmlog" check "$1" >"$tmp/out" || fail "$1 is not right: $(cat "$tmp/out")"
	"$stmlog" report --json "$1" >"$tmp/json"
	same "the runtime and commits of $1" "$2 $3" \
		"$("$O/tests/helpers/jsonq" "$tmp/json" .runtime) $("$O/tests/helpers/jsonq" "$tmp/json" .totals.commits)"
}

STMLOG_OPTIONS=report=none:out=$tmp/data "$tmp/main" both 2>"$tmp/err"
[ -e "$tmp/data.2" ] || fail "one of two recordings is lost"
grep -q 'data.2 is where the output is' "$tmp/err" || fail "nothing is said about the second file: $(cat "$tmp/err")"
first=$tmp/data second=$tmp/data.2
"$stmlog" report "$first" | grep -q first || first=$tmp/data.2 second=$tmp/data
expect "$first" first 200
expect "$second" second 300

STMLOG_OPTIONS=report=none:out=$tmp/data "$tmp/main" 2>"$tmp/err"
expect "$tmp/data" first 200
same "what a later process says" "" "$(cat "$tmp/err")"

# The command collects both.
"$stmlog" record -o "$tmp/recorded" -- "$tmp/main" both >"$tmp/out" 2>&1 || fail "record fails: $(cat "$tmp/out")"
same "recordings" 2 "$(find "$tmp" -name 'recorded*' | wc -l)"
