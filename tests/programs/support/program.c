/* SPDX-License-Identifier: MIT
 *
 * Compiled without -fgnu-tm: no transaction passes through here.
 */
#include "program.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_THREADS = 64 };

struct runner {
	pthread_t thread;
	unsigned number;
	void (*body)(unsigned number);
};

static pthread_barrier_t start_line;

unsigned program_threads(int argc, char **argv)
{
	char *end = NULL;
	unsigned long threads = argc > 1 ? strtoul(argv[1], &end, 10) : 2;
	if (threads < 1 || threads > MAX_THREADS || (end != NULL && *end != '\0')) {
		fprintf(stderr, "%s: the argument is a number of threads from 1 to %d\n", argv[0], MAX_THREADS);
		exit(2);
	}
	return (unsigned)threads;
}

static void *run_one(void *arg)
{
	struct runner *runner = arg;
	pthread_barrier_wait(&start_line);
	runner->body(runner->number);
	return NULL;
}

void program_run(unsigned threads, void (*body)(unsigned number))
{
	struct runner runners[MAX_THREADS];
	pthread_barrier_init(&start_line, NULL, threads);
	for (unsigned i = 0; i < threads; i++) {
		runners[i] = (struct runner){.number = i, .body = body};
		if (pthread_create(&runners[i].thread, NULL, run_one, &runners[i]) != 0)
			exit(3);
	}
	for (unsigned i = 0; i < threads; i++)
		pthread_join(runners[i].thread, NULL);
	pthread_barrier_destroy(&start_line);
}

int program_result(bool is_right, uint64_t checksum)
{
	printf("%s %" PRIu64 "\n", is_right ? "ok" : "wrong", checksum);
	return is_right ? 0 : 1;
}
