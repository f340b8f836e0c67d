#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A program that is built with AddressSanitizer or ThreadSanitizer is recorded like others, with --objects, too, and
# prints and returns the same. (gcc compiles no transactions for AddressSanitizer: they are in a part of the program that
# is compiled without.)

. "$(dirname "$0")/cli.inc"

# With vm.mmap_rnd_bits=32 the sanitizers find no room for their shadow memory.
fixed=$(! setarch -R true 2>/dev/null || echo setarch -R)

cat >"$tmp/transact.c" <<'END'
static long counter;
long transact(void);
long transact(void)
{
	long seen;
	__transaction_atomic {
		seen = ++counter;
	}
	return seen;
}
END
cat >"$tmp/main.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
long transact(void);
static void *work(void *unused)
{
	for (int i = 0; i < 100; i++)
		free(malloc((size_t)transact()));
	return unused;
}
int main(void)
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, work, NULL) != 0)
		return 3;
	work(NULL);
	pthread_join(thread, NULL);
	printf("%ld\n", transact());
	return 5;
}
END
cc -O1 -g -fgnu-tm -c -o "$tmp/transact.o" "$tmp/transact.c"

# libitm is built without, so that ThreadSanitizer reports races within it, with or without the agent.
echo race:libitm.so >"$tmp/suppressions"
export TSAN_OPTIONS="suppressions=$tmp/suppressions"

for sanitizer in address thread; do
	cc -O1 -g -fsanitize=$sanitizer -pthread -o "$tmp/program" "$tmp/main.c" "$tmp/transact.o" -litm
	# shellcheck disable=SC2086
	run 5 $fixed "$tmp/program"
	silent
	for option in --sample=auto --sample=1 --objects; do
		# shellcheck disable=SC2086
		run 5 timeout -k 1 60 $fixed "$stmlog" record $option --no-report -o "$tmp/data" -- "$tmp/program"
		same "stdout" 201 "$(cat "$tmp/out")"
		silent
		run 0 "$stmlog" check "$tmp/data"
		rm "$tmp/data"
	done
	claim "a program with the sanitizer for $sanitizer is recorded, and ends as without"
done
