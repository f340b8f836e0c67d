#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The integration in runtimes/README.md has fewer than 40 lines and compiles as it is printed there, with and without
# STMLOG_OFF. When two of its transactions conflict, the report has both sides. It runs as well while no profiler is
# open, and with STMLOG_OFF without the library.

. "$(dirname "$0")/../helpers/shell.inc"

sed -n '/^```c$/,/^```$/p' runtimes/README.md | sed '/^```/d' >"$tmp/integration.h"
lines=$(wc -l <"$tmp/integration.h")
[ "$lines" -gt 20 ] && [ "$lines" -lt 40 ] || fail "the integration has $lines lines"
cat >"$tmp/main.c" <<'END'
#include "integration.h"

#include <pthread.h>

static int object;
static struct tx first;

static void lose(struct tx *tx)
{
	stmlog_push(stmlog_thread_stack(tx->log), TB_HERE());
	tx_begins(tx, false);
	tx_aborts_because_of(tx, &object, &first);
	tx_begins(tx, true);
	tx_commits(tx);
	stmlog_pop(stmlog_thread_stack(tx->log));
}

static void *be_second(void *unused)
{
	struct tx second;
	tx_thread_begins(&second);
	lose(&second);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	(void)argv;
	if (argc == 1 && stmlog_open(NULL) != 0)
		return 1;
	tx_thread_begins(&first);
	stmlog_push(stmlog_thread_stack(first.log), TB_HERE());
	tx_begins(&first, false);
	tx_is_about_to_lock(&first, &object);
	pthread_create(&thread, NULL, be_second, NULL);
	pthread_join(thread, NULL);
	tx_commits(&first);
	return 0;
}
END
flags="-std=gnu11 -O2 -g -Wall -Wextra -Werror -Iinclude -I$tmp"
# shellcheck disable=SC2086
cc $flags -o "$tmp/main" "$tmp/main.c" "$O/libstmlog.a" -pthread
"$tmp/main" 2>"$tmp/report"
grep -q 'self-abort, write-write, LOCKED' "$tmp/report" || fail "no such abort: $(cat "$tmp/report")"
grep -q 'where  *lose  *main.c:10$' "$tmp/report" || fail "not where it lost: $(cat "$tmp/report")"
grep -A 1 'blocked by  thread' "$tmp/report" | grep -q '^  *main  *main.c:33$' || fail "not whom it lost to: $(cat "$tmp/report")"

status=0
"$tmp/main" closed 2>"$tmp/report" || status=$?
same "without a profiler: status and report" "0 " "$status $(cat "$tmp/report")"

for level in -O0 -O2; do
	# shellcheck disable=SC2086
	cc $flags $level -DSTMLOG_OFF -o "$tmp/off" "$tmp/main.c" -pthread
	status=0
	"$tmp/off" 2>"$tmp/report" || status=$?
	same "with STMLOG_OFF at $level: status and report" "0 " "$status $(cat "$tmp/report")"
done
