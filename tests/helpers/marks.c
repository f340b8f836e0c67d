/* SPDX-License-Identifier: MIT
 * Counters and marks of two threads, one after the other, with names that formats have to escape. */
#include <pthread.h>

#include <stmlog/timeline.h>

static void count(struct stmlog_thread *thread, uint64_t from)
{
	for (uint64_t i = 0; i < 10; i++)
		stmlog_counter(thread, "done \"so far\"", from + i);
	stmlog_counter(thread, "left\\", 0);
	stmlog_mark(thread, "<counted>", from);
}

static void *work(void *unused)
{
	count(stmlog_thread_open(NULL), 100);
	return unused;
}

int main(void)
{
	const struct stmlog_setup setup = {.runtime = "marks"};
	pthread_t other;
	if (stmlog_open(&setup) != 0)
		return 1;
	count(stmlog_thread_open(NULL), 0);
	return pthread_create(&other, NULL, work, NULL) != 0 || pthread_join(other, NULL) != 0;
}
