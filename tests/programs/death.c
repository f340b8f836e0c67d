/* SPDX-License-Identifier: MIT
 * Two threads commit 1000 transactions each. Then the process dies while they go on with something else:
 * usage: death WAY             segv, bus, fpe, ill, abort, quit, term, kill or xcpu: of that signal;
 *                              overflow: for want of stack; leave: by the system call that ends a process
 *        death memory          by abort(), when there is no more address space
 *        death handled         the program handles SIGSEGV itself, and ends with status 3
 *        death in-exit         of SIGTERM, in an exit handler
 *        death in-child        of SIGSEGV, in a forked child that has committed 1000 more; its status is the number of
 * the signal
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scenes.h"

enum { TRANSACTIONS = 1000 };

static pthread_barrier_t done;

static void *run_thread(void *unused)
{
	scenes_transact(TRANSACTIONS);
	pthread_barrier_wait(&done);
	for (;;)
		pause();
	return unused;
}

static void work(void)
{
	pthread_t threads[2];
	pthread_barrier_init(&done, NULL, 3);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run_thread, NULL);
	pthread_barrier_wait(&done);
}

static int overflow(volatile int *above);
static int (*volatile go_on)(volatile int *above) = overflow; /* the compiler does not see the recursion */

static int overflow(volatile int *above)
{
	volatile int here[1000];
	here[0] = *above + 1;
	return go_on(here) + here[0];
}

/* Faults that the compiler does not see. */
static void fault(const char *way)
{
	int *volatile nowhere = NULL;
	volatile int zero = 0;
	if (strcmp(way, "segv") == 0)
		*nowhere = 1;
	if (strcmp(way, "fpe") == 0)
		zero = TRANSACTIONS / zero;
	if (strcmp(way, "ill") == 0)
		__asm__ volatile("ud2");
	if (strcmp(way, "overflow") == 0)
		zero = go_on(&zero);
}

static void end_in_handler(int number)
{
	(void)number;
	_exit(3);
}

static void end_in_exit(void)
{
	raise(SIGTERM);
}

/* As programs do that get no memory. */
static void use_up_memory(void)
{
	static const struct rlimit some = {1 << 30, 1 << 30};
	setrlimit(RLIMIT_AS, &some);
	while (malloc(4096) != NULL)
		continue;
	abort();
}

static int die_in_child(void)
{
	int status;
	work();
	pid_t pid = fork();
	if (pid == 0) {
		scenes_transact(TRANSACTIONS);
		fault("segv");
	}
	if (waitpid(pid, &status, 0) != pid)
		return 1;
	return WIFSIGNALED(status) ? WTERMSIG(status) : 1;
}

static int die(const char *way)
{
	static const struct {
		const char *way;
		int number;
	} raised[] = {{"bus", SIGBUS}, {"quit", SIGQUIT}, {"term", SIGTERM}, {"kill", SIGKILL}, {"xcpu", SIGXCPU}};
	work();
	if (strcmp(way, "leave") == 0)
		syscall(SYS_exit_group, 4);
	if (strcmp(way, "abort") == 0)
		abort();
	if (strcmp(way, "memory") == 0)
		use_up_memory();
	if (strcmp(way, "handled") == 0) {
		signal(SIGSEGV, end_in_handler);
		fault("segv");
	}
	if (strcmp(way, "in-exit") == 0) {
		atexit(end_in_exit);
		exit(5);
	}
	for (size_t i = 0; i < sizeof raised / sizeof raised[0]; i++)
		if (strcmp(raised[i].way, way) == 0)
			raise(raised[i].number);
	fault(way);
	return 1;
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "in-child") == 0)
		return die_in_child();
	return argc > 1 ? die(argv[1]) : 1;
}
