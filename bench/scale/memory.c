/* SPDX-License-Identifier: MIT
 *
 * A control for bench/scale.sh: how the cost of memory itself grows with its size, which commands cannot be better
 * than. usage: memory rows N [random]   writes N rows of 280 bytes, as a recording of keys has them, into memory that
 * was not used before; then reads all, in the order in which they lie or in a random one */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct row {
	uint64_t numbers[35];
};

/* A permutation of 0 .. N-1 for N that is not divisible by the prime: neighbours come to lie far from each other. */
static uint64_t place_of(uint64_t i, uint64_t len, int is_random)
{
	return is_random ? i * 2654435761u % len : i;
}

int main(int argc, char **argv)
{
	uint64_t len = argc > 1 && strcmp(argv[1], "rows") == 0 && argc > 2 ? strtoull(argv[2], NULL, 10) : 0, sum = 0;
	int is_random = argc > 3 && strcmp(argv[3], "random") == 0;
	if (len == 0) {
		fputs("usage: memory rows N [random]\n", stderr);
		return 2;
	}
	struct row *rows = mmap(NULL, len * sizeof *rows, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (rows == MAP_FAILED)
		return 1;
	madvise(rows, len * sizeof *rows, MADV_HUGEPAGE); /* as the command does */
	for (uint64_t i = 0; i < len; i++)
		for (size_t k = 0; k < sizeof rows->numbers / sizeof rows->numbers[0]; k++)
			rows[i].numbers[k] = i + k;
	for (uint64_t i = 0; i < len; i++)
		sum += rows[place_of(i, len, is_random)].numbers[7];
	return printf("%ju\n", (uintmax_t)sum) > 0 ? 0 : 1;
}
