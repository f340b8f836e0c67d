/* SPDX-License-Identifier: MIT
 * Runs the green threads of runtimes/README.md: a transaction begins on one OS thread and commits on another one.
 *
 * report: green .* 1$
 */
#include <stmlog/runtime.h>

#include "green.h"

#include <pthread.h>

static struct stmlog_thread *lane;

static void begin(void)
{
	stmlog_start(lane);
}

static void end(void)
{
	stmlog_commit(lane);
}

static void *go_on(void *unused)
{
	green_runs(lane, end);
	return unused;
}

/* With an argument no profiler is opened. */
int main(int argc, char **argv)
{
	pthread_t thread;
	(void)argv;
	if (argc == 1 && stmlog_open(NULL) != 0)
		return 1;
	lane = stmlog_thread_open("green");
	green_runs(lane, begin);
	pthread_create(&thread, NULL, go_on, NULL);
	pthread_join(thread, NULL);
	stmlog_thread_close(&lane);
	return 0;
}
