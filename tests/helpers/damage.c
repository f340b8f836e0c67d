/* SPDX-License-Identifier: MIT
 * damage FROM TO SEED: copies a file and changes some of its bytes, as the seed says: most of them in the second half,
 * where an ELF file has its debug information and section headers. Notes stay whole if they are in the first 2 KB, so
 * that the build-id is that of the original. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEPT = 2048, CHANGES_MAX = 64 };

static uint64_t state;

static uint64_t next(void)
{
	state += UINT64_C(0x9e3779b97f4a7c15);
	uint64_t x = (state ^ state >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	return (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb) >> 16;
}

/* A byte becomes any other, or one of those at which numbers are at their limits. */
static void change(unsigned char *bytes, size_t len)
{
	static const unsigned char limits[] = {0, 1, 0x7f, 0x80, 0xff};
	size_t from = next() % 4 != 0 ? len / 2 : KEPT, at = from + next() % (len - from);
	size_t many = 1 + next() % 8;
	for (size_t i = at; i < at + many && i < len; i++)
		bytes[i] = next() % 2 != 0 ? limits[next() % sizeof limits] : (unsigned char)next();
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	FILE *from = fopen(argv[1], "rb"), *to = fopen(argv[2], "wb");
	if (from == NULL || to == NULL || fseek(from, 0, SEEK_END) != 0)
		return 2;
	size_t len = (size_t)ftell(from);
	unsigned char *bytes = malloc(len);
	rewind(from);
	if (bytes == NULL || len < 2 * KEPT || fread(bytes, 1, len, from) != len)
		return 2;
	state = strtoull(argv[3], NULL, 10);
	for (uint64_t changes = 1 + next() % CHANGES_MAX; changes > 0; changes--)
		change(bytes, len);
	return fwrite(bytes, 1, len, to) == len && fclose(to) == 0 ? 0 : 2;
}
