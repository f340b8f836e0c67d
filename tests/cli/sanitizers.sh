#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A program that is built with AddressSanitizer, LeakSanitizer or ThreadSanitizer is recorded like others, and prints and
# returns the same. With --objects, too: then a line says that heap data is not named. (gcc compiles no transactions for
# AddressSanitizer: they are in a part of the program that is compiled without.)
#
# The sanitizers see nothing of the synchronisation of a library that is built without: neither of ours, nor of the
# library that the program has, whose reports the user suppresses by its name.

. "$(dirname "$0")/cli.inc"

# With vm.mmap_rnd_bits=32 the sanitizers find no room for their shadow memory.
fixed=$(! setarch -R true 2>/dev/null || echo setarch -R)

# The library: turns between threads, memory that one thread allocates and another one enlarges, and a block that is
# lost. Its functions are the callers of malloc() and realloc().
cat >"$tmp/library.c" <<'END'
#include <sched.h>
#include <stdlib.h>
static int turn;
static char *block;
void await_turn(int mine)
{
	while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != mine)
		sched_yield();
}
void pass_turn(int next)
{
	__atomic_store_n(&turn, next, __ATOMIC_RELEASE);
}
void make_block(void)
{
	block = malloc(10);
	*block = 1;
}
void enlarge_block(void)
{
	block = realloc(block, 1000);
	*block = 1;
}
void lose_block(void)
{
	char *volatile lost = malloc(77);
	*lost = 1;
	lost = NULL;
}
END
cat >"$tmp/transact.c" <<'END'
static long counter;
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
void await_turn(int mine);
void pass_turn(int next);
void make_block(void);
void enlarge_block(void);
void lose_block(void);
long transact(void);
static void transact_and_allocate(void)
{
	for (int i = 0; i < 100; i++)
		free(malloc((size_t)transact()));
}
static void *work(void *unused)
{
	await_turn(1);
	enlarge_block();
	transact_and_allocate();
	return unused;
}
int main(void)
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, work, NULL) != 0)
		return 3;
	make_block();
	pass_turn(1);
	transact_and_allocate();
	pthread_join(thread, NULL);
	lose_block();
	printf("%ld\n", transact());
	return 5;
}
END
cc -O1 -g -fPIC -shared -o "$tmp/liblibrary.so" "$tmp/library.c"
cc -O1 -g -fgnu-tm -c -o "$tmp/transact.o" "$tmp/transact.c"

# libitm is built without, so that ThreadSanitizer reports races within it, with or without the agent.
printf 'race:libitm.so\nrace:liblibrary.so\n' >"$tmp/races"
printf 'leak:lose_block\n' >"$tmp/leaks"
export TSAN_OPTIONS="suppressions=$tmp/races" LSAN_OPTIONS="suppressions=$tmp/leaks:print_suppressions=0"

# has_only_the_line_of OPTION: nothing is on stderr but the line of --objects
has_only_the_line_of() {
	if [ "$1" = --objects ]; then
		one_line "built with a sanitizer"
	else
		silent
	fi
}

for sanitizer in address leak thread; do
	cc -O1 -g -fsanitize=$sanitizer -pthread -o "$tmp/program" "$tmp/main.c" "$tmp/transact.o" -L"$tmp" -llibrary -litm \
		-Wl,-rpath,"$tmp"
	# shellcheck disable=SC2086
	run 5 $fixed "$tmp/program"
	silent
	for option in --sample=auto --sample=1 --objects; do
		# shellcheck disable=SC2086
		run 5 timeout -k 1 60 $fixed "$stmlog" record $option --no-report -o "$tmp/data" -- "$tmp/program"
		same "stdout" 201 "$(cat "$tmp/out")"
		has_only_the_line_of $option
		run 0 "$stmlog" check "$tmp/data"
		rm "$tmp/data"
	done
	claim "a program with the sanitizer for $sanitizer is recorded, and ends as without"
done

# Two threads lose attempts for the same two causes, the second thread after the first: the second one compares the
# words that the first one has copied. Meanwhile neither takes a lock, by which ThreadSanitizer would see the order.
cat >"$tmp/embedded.c" <<'END'
#include <pthread.h>
#include <stmlog/runtime.h>
void await_turn(int mine);
void pass_turn(int next);
static void lose(struct stmlog_thread *thread)
{
	static const char *const words[] = {"the first cause", "the second cause"};
	stmlog_start(thread);
	for (int i = 0; i < 2; i++) {
		const struct stmlog_loss loss = stmlog_loss_of(STMLOG_USER_ABORT, STMLOG_NONE, words[i]);
		stmlog_abort(thread, &loss);
		stmlog_retry(thread);
	}
	stmlog_commit(thread);
}
static void *lose_second(void *unused)
{
	struct stmlog_thread *thread = stmlog_thread_open(NULL);
	pass_turn(1);
	await_turn(2);
	lose(thread);
	pass_turn(3);
	return unused;
}
int main(void)
{
	pthread_t second;
	if (stmlog_open(NULL) != 0 || pthread_create(&second, NULL, lose_second, NULL) != 0)
		return 3;
	struct stmlog_thread *thread = stmlog_thread_open(NULL);
	await_turn(1);
	lose(thread);
	pass_turn(2);
	await_turn(3);
	pthread_join(second, NULL);
	return 5;
}
END
cp "$O/libstmlog.so" "$tmp/libstmlog.so.0"
for library in "$tmp/libstmlog.so.0" "$O/libstmlog.a"; do
	cc -O1 -g -fsanitize=thread -pthread -Iinclude -o "$tmp/embedded" "$tmp/embedded.c" -L"$tmp" -llibrary "$library" \
		-Wl,-rpath,"$tmp"
	# shellcheck disable=SC2086
	run 5 env STMLOG_OPTIONS="report=none:out=$tmp/data" $fixed "$tmp/embedded"
	silent
	run 0 "$stmlog" report --full "$tmp/data"
	says "the second cause"
done
claim "threads that read what other threads have recorded are no race for ThreadSanitizer"
