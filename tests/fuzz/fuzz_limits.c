/* SPDX-License-Identifier: MIT
 * The count is kept in the file that the environment names by STMLOG_FUZZ_COUNT, eight bytes that all processes share,
 * so that it survives them however they end. */
#include "fuzz_limits.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { MAX_NS = 1000000000 };

static uint64_t began_ns;
static uint64_t uncounted;
static uint64_t *count = &uncounted;

/* Not open(): the targets replace it. */
__attribute__((constructor)) static void share_count(void)
{
	const char *path = getenv("STMLOG_FUZZ_COUNT");
	FILE *file = path != NULL ? fopen(path, "a+") : NULL;
	if (file == NULL || ftruncate(fileno(file), sizeof *count) != 0)
		return;
	void *shared = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
	fclose(file);
	if (shared != MAP_FAILED)
		count = shared;
}

static uint64_t processor_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void fuzz_begin(void)
{
	began_ns = processor_ns();
}

void fuzz_end(void)
{
	uint64_t spent_ns = processor_ns() - began_ns;
	/* Relaxed: nothing else depends on the count. */
	__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
	if (spent_ns <= MAX_NS)
		return;
	fprintf(stderr, "stmlog: an input took %llu ms of the processor\n", (unsigned long long)(spent_ns / 1000000));
	abort();
}
