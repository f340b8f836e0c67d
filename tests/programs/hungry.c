/* SPDX-License-Identifier: MIT
 *
 * Takes memory, megabyte by megabyte, and prints after each how many transactions there were.
 * usage: hungry [THREADS [MEGABYTES]]
 */
#include "program.h"
#include "total.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EACH = 1000, NAP_US = 12000 };

static uint64_t count;

static void take_megabyte(void)
{
	size_t size = 1 << 20;
	char *memory = malloc(size); /* never freed */
	if (memory != NULL)
		memset(memory, 1, size);
	for (int i = 0; i < EACH; i++, count++)
		total_add(1);
	usleep(NAP_US);
}

int main(int argc, char **argv)
{
	unsigned threads = program_threads(argc, argv), megabytes = program_number(argc, argv, 2, 1);
	program_run(threads, total_rounds);
	count = (uint64_t)threads * TOTAL_ROUNDS;
	for (unsigned i = 0; i < megabytes; i++) {
		take_megabyte();
		printf("%u\n", (unsigned)count);
		fflush(stdout);
	}
	uint64_t total = total_read();
	return program_result(total == total_expected(threads) + (uint64_t)EACH * megabytes, total);
}
