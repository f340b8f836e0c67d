/* SPDX-License-Identifier: MIT
 * Scenes of scarcity: no memory, no descriptors.
 * usage: scenes_scarce SCENE, or --list */
#include "scenes.h"
#include "total.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS = 4 };

/* Threads that exist before a limit is in force transact after it, so that they need no stack. libitm itself ends a
 * process that has no memory for a thread: each has transacted before. */
static pthread_barrier_t line;

static void *transact_behind_line(void *unused)
{
	scenes_transact(1);
	pthread_barrier_wait(&line);
	pthread_barrier_wait(&line);
	scenes_transact(1000);
	return unused;
}

static int run_limited(void (*limit)(void))
{
	pthread_t threads[THREADS];
	pthread_barrier_init(&line, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, transact_behind_line, NULL) != 0)
			return 3;
	pthread_barrier_wait(&line);
	limit();
	pthread_barrier_wait(&line);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%d commits\n", (int)total_read());
	return 0;
}

/* ---- memory ---- */

static size_t pages_in_use(void)
{
	char text[64] = "0";
	int file = open("/proc/self/statm", O_RDONLY);
	if (file >= 0 && read(file, text, sizeof text - 1) <= 0)
		text[0] = '0';
	close(file);
	return strtoul(text, NULL, 10);
}

/* So much address space is left. */
static void leave_space(size_t bytes)
{
	struct rlimit limit = {pages_in_use() * 4096 + bytes, RLIM_INFINITY};
	setrlimit(RLIMIT_AS, &limit);
}

static void leave_nothing(void)
{
	leave_space(0);
}

static int no_memory(void)
{
	return run_limited(leave_nothing);
}

/* One thread more, whose stack and whose record need memory; the profiler's may not suffice. */
static int little_memory(void)
{
	const char *text = getenv("SCENE_KIB");
	pthread_t thread;
	pthread_attr_t small;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 4 * (size_t)PTHREAD_STACK_MIN);
	scenes_transact(1);
	leave_space((text != NULL ? strtoul(text, NULL, 10) : 512) * 1024);
	pthread_barrier_init(&line, NULL, 1);
	if (pthread_create(&thread, &small, transact_behind_line, NULL) != 0)
		return 3;
	pthread_join(thread, NULL);
	printf("%d commits\n", (int)total_read());
	return 0;
}

/* ---- files ---- */

static void allow_no_descriptor(void)
{
	setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, 0});
}

static int no_descriptor(void)
{
	return run_limited(allow_no_descriptor);
}

static void use_all_descriptors(void)
{
	setrlimit(RLIMIT_NOFILE, &(struct rlimit){64, 64});
	while (dup(0) >= 0) {
	}
}

static int all_descriptors(void)
{
	return run_limited(use_all_descriptors);
}

static void allow_no_file(void)
{
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, 0});
}

/* stdout is a pipe, or a limit of its own would be tested. */
static int no_file(void)
{
	return run_limited(allow_no_file);
}

static void allow_no_process(void)
{
	setrlimit(RLIMIT_NPROC, &(struct rlimit){0, 0});
}

static int no_process(void)
{
	return run_limited(allow_no_process);
}

int main(int argc, char **argv)
{
	static const struct scene scenes[] = {
		{"no-memory", no_memory},
		{"little-memory", little_memory},
		{"no-descriptor", no_descriptor},
		{"all-descriptors", all_descriptors},
		{"no-file", no_file},
		{"no-process", no_process},
	};
	return scenes_main(argc, argv, scenes, sizeof scenes / sizeof scenes[0]);
}
