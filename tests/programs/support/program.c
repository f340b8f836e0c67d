/* SPDX-License-Identifier: MIT
 *
 * Compiled without -fgnu-tm: no transaction passes through here.
 */
#include "program.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS = 64 };

struct runner {
	pthread_t thread;
	unsigned number;
	void (*body)(unsigned number);
};

static pthread_barrier_t start_line;

unsigned program_number(int argc, char **argv, int at, unsigned otherwise)
{
	char *end = NULL;
	unsigned long number = argc > at ? strtoul(argv[at], &end, 10) : otherwise;
	if (number < 1 || number > 1000000000 || (end != NULL && *end != '\0')) {
		fprintf(stderr, "%s: argument %d is a number from 1 to 1000000000\n", argv[0], at);
		exit(2);
	}
	return (unsigned)number;
}

unsigned program_threads(int argc, char **argv)
{
	unsigned threads = program_number(argc, argv, 1, 2);
	if (threads > MAX_THREADS) {
		fprintf(stderr, "%s: the argument is a number of threads from 1 to %d\n", argv[0], MAX_THREADS);
		exit(2);
	}
	return threads;
}

bool program_has_fault(int argc, char **argv)
{
	if (argc == 2 && (strcmp(argv[1], "with") == 0 || strcmp(argv[1], "without") == 0))
		return strcmp(argv[1], "with") == 0;
	fprintf(stderr, "usage: %s with|without\n", argv[0]);
	exit(2);
}

unsigned program_meetings(void)
{
	const char *text = getenv("MEETINGS");
	return text == NULL ? 0 : (unsigned)strtoul(text, NULL, 10);
}

void program_work(unsigned amount)
{
	for (volatile unsigned i = 0; i < amount; i++)
		;
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
