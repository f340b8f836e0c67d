/* SPDX-License-Identifier: MIT
 * Runs the runtime of runtimes/README.md that joins another one.
 *
 * report: first, my-stm
 * report: my-stm .* 1$
 */
#include <stmlog/agent.h>

#include "several.h"

#include <errno.h>
#include <pthread.h>

static const struct stmlog_setup mine = {.runtime = "my-stm"};

static void *be_mine(void *unused)
{
	struct stmlog_thread *thread = my_thread_begins();
	stmlog_start(thread);
	stmlog_commit(thread);
	return unused;
}

/* Whether the profiler is open as it should be: with STMLOG_OFF, or without a library, each runtime is the first. */
static bool opens(void)
{
	static const struct stmlog_setup first = {.runtime = "first"};
	int error = stmlog_open(&first), again = error == 0 ? stmlog_open(&mine) : error;
	return again == -EALREADY || (again == 0 && stmlog_thread_open(NULL) == NULL);
}

/* With an argument no profiler is opened. */
int main(int argc, char **argv)
{
	pthread_t thread;
	(void)argv;
	if (argc == 1 && !opens())
		return 1;
	struct stmlog_thread *own = stmlog_thread_open(NULL);
	stmlog_set_runtime(own, "first");
	stmlog_start(own);
	stmlog_commit(own);
	pthread_create(&thread, NULL, be_mine, NULL);
	pthread_join(thread, NULL);
	return !stmlog_leave(&mine) && own != NULL;
}
