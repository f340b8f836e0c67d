/* SPDX-License-Identifier: MIT
 * Transactions, and the end of the process, where there is little stack.
 * usage: small_stack thread        a thread with PTHREAD_STACK_MIN: its transactions, and exit(21)
 *        small_stack handler       _exit(22) in a signal handler, on a stack of its own that is as small as can be
 */
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scenes.h"

static void *end_in_thread(void *unused)
{
	(void)unused;
	scenes_transact(10);
	exit(21);
}

/* Bound when the program is loaded: to bind a call within the handler takes the loader more stack (glibc 2.41). */
static void (*volatile leave)(int) = _exit;

static void end_in_handler(int signal)
{
	(void)signal;
	leave(22);
}

static void try_thread(void)
{
	pthread_attr_t attributes;
	pthread_t thread;
	pthread_attr_init(&attributes);
	if (pthread_attr_setstacksize(&attributes, (size_t)PTHREAD_STACK_MIN) != 0 ||
		pthread_create(&thread, &attributes, end_in_thread, NULL) != 0)
		exit(1);
	pthread_join(thread, NULL);
}

static void try_handler(void)
{
	struct sigaction action = {.sa_handler = end_in_handler, .sa_flags = SA_ONSTACK};
	stack_t small = {.ss_size = (size_t)sysconf(_SC_MINSIGSTKSZ) + 2048};
	small.ss_sp = malloc(small.ss_size);
	if (small.ss_sp == NULL || sigaltstack(&small, NULL) != 0 || sigaction(SIGUSR1, &action, NULL) != 0)
		exit(1);
	scenes_transact(10);
	raise(SIGUSR1);
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "thread") == 0)
		try_thread();
	else
		try_handler();
	return 1;
}
