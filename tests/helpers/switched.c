/* SPDX-License-Identifier: MIT
 * A program with the header for vendoring that switches the profiler on while it runs, with the options of its only
 * argument. A second thread has begun before. 10 transactions come before, 7 of each thread after. */
#include <pthread.h>

#include "stmlog-vendor.h"

static pthread_barrier_t switched;
static struct stmlog_setup setup;

static void run(struct stmlog_thread **log, int count)
{
	for (int i = 0; i < count; i++) {
		if (*log == NULL)
			*log = stmlog_thread_open(NULL);
		stmlog_start(*log);
		stmlog_commit(*log);
	}
}

static void *work(void *is_main)
{
	struct stmlog_thread *log = NULL;
	run(&log, 5);
	pthread_barrier_wait(&switched);
	if (is_main != NULL && (log != NULL || stmlog_open(&setup) != 0))
		return NULL;
	pthread_barrier_wait(&switched);
	run(&log, 7);
	return log;
}

int main(int argc, char **argv)
{
	pthread_t other;
	setup.runtime = "switched";
	setup.options = argc > 1 ? argv[1] : NULL;
	pthread_barrier_init(&switched, NULL, 2);
	if (pthread_create(&other, NULL, work, NULL) != 0)
		return 1;
	bool is_on = work(&other) != NULL;
	pthread_join(other, NULL);
	stmlog_close();
	return is_on ? 0 : 2;
}
