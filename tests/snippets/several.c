/* SPDX-License-Identifier: MIT
 * Runs the runtime of runtimes/README.md that joins another one.
 *
 * report: first, my-stm
 * report: my-stm .* 1$
 */
#include "several.h"

#include <pthread.h>

static void *be_mine(void *unused)
{
	struct stmlog_thread *thread = my_stm_thread_begins();
	stmlog_start(thread);
	stmlog_commit(thread);
	return unused;
}

/* With an argument no profiler is opened. */
int main(int argc, char **argv)
{
	static const struct stmlog_setup first = {.runtime = "first"};
	pthread_t thread;
	(void)argv;
	if (argc == 1 && (stmlog_open(&first) != 0 || my_stm_opens() != 0))
		return 1;
	struct stmlog_thread *own = stmlog_thread_attach();
	stmlog_set_runtime(own, "first");
	stmlog_start(own);
	stmlog_commit(own);
	pthread_create(&thread, NULL, be_mine, NULL);
	pthread_join(thread, NULL);
	my_stm_is_unloaded();
	return 0;
}
