/* SPDX-License-Identifier: MIT
 * Runs the green threads of runtimes/README.md: a transaction begins on one OS thread and commits on another one.
 *
 * report: green .* 1$
 */
#include "green.h"

#include <pthread.h>

static void *go_on(void *arg)
{
	struct green *green = arg;
	green_resumes(green);
	stmlog_commit(green->log);
	green_is_suspended(green);
	return NULL;
}

/* With an argument no profiler is opened. */
int main(int argc, char **argv)
{
	pthread_t thread;
	struct green green;
	(void)argv;
	if (argc == 1 && stmlog_open(NULL) != 0)
		return 1;
	green_begins(&green, "green");
	green_resumes(&green);
	stmlog_start(green.log);
	green_is_suspended(&green);
	pthread_create(&thread, NULL, go_on, &green);
	pthread_join(thread, NULL);
	green_ends(&green);
	return 0;
}
