/* SPDX-License-Identifier: MIT
 *
 * Two threads transact, and then SIGKILL ends the process. The second one begins while the first one is held up in the
 * middle of its first transaction's begin, by the function below: there a profiler may create a thread of its own. If
 * the second one commits meanwhile, the process ends at once.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>

#include "scenes.h"

enum { COMMITS = 1000, NAPS = 300 };

static volatile int committed; /* by the second thread */
static volatile bool is_held_up;
static __thread bool is_first;

static void nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void hold_up(void)
{
	is_held_up = true;
	for (int naps = 0; naps < NAPS; naps++) {
		if (committed == COMMITS)
			raise(SIGKILL);
		nap();
	}
}

/* In the place of the C library's. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*body)(void *), void *arg)
{
	int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
		dlsym(RTLD_NEXT, "pthread_create");
	if (is_first && !is_held_up)
		hold_up();
	return real(thread, attr, body, arg);
}

static void *first(void *unused)
{
	is_first = true;
	scenes_transact(1);
	is_held_up = true; /* nobody has created a thread */
	return unused;
}

static void *second(void *unused)
{
	while (!is_held_up)
		nap();
	for (; committed < COMMITS; committed++)
		scenes_transact(1);
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return raise(SIGKILL);
}
