/* SPDX-License-Identifier: MIT
 * Drives a fuzz target without a fuzzer: executes each file, and then changes of them, the same ones in each run.
 * LAST keeps the input that is executed, for the case that it crashes.
 * usage: read_replay LAST EXECUTIONS FILE... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/mman.h>
#include <unistd.h>

#include "random.h"

enum { MAX_BYTES = 8192, MAX_FILES = 1000, MAX_STEPS = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t len, size_t max, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *left, size_t left_len, const uint8_t *right, size_t right_len,
	uint8_t *out, size_t max, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t len, size_t max);

static struct random chance = {1};

struct input {
	uint64_t len;
	uint8_t bytes[MAX_BYTES];
};
static struct input files[MAX_FILES];
static uint32_t file_count;
static struct input *last;

/* What libFuzzer has for the mutator to change bytes blindly: here one byte changes, goes or comes. */
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t len, size_t max)
{
	if (len == 0)
		return 0;
	size_t at = random_below(&chance, (uint32_t)len);
	switch (random_below(&chance, 4)) {
	case 0:
		memmove(bytes + at, bytes + at + 1, len - at - 1);
		return len - 1;
	case 1:
		if (len == max)
			return len;
		memmove(bytes + at + 1, bytes + at, len - at);
		return len + 1;
	default:
		bytes[at] = (uint8_t)random_next(&chance);
		return len;
	}
}

static void take_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	if (file == NULL || file_count == MAX_FILES) {
		fprintf(stderr, "%s: cannot be read\n", path);
		exit(2);
	}
	struct input *input = &files[file_count++];
	input->len = fread(input->bytes, 1, MAX_BYTES, file);
	fclose(file);
}

/* The target gets a copy of exactly that length, so that the sanitizer notices what is read behind it. */
static void execute(const struct input *input)
{
	uint8_t *exact = malloc(input->len != 0 ? input->len : 1);
	if (exact == NULL)
		exit(2);
	memcpy(exact, input->bytes, input->len);
	LLVMFuzzerTestOneInput(exact, input->len);
	free(exact);
}

static void execute_change(void)
{
	const struct input *other = &files[random_below(&chance, file_count)];
	*last = files[random_below(&chance, file_count)];
	if (random_below(&chance, 4) == 0) {
		struct input crossed = {0, {0}};
		crossed.len = LLVMFuzzerCustomCrossOver(last->bytes, last->len, other->bytes, other->len, crossed.bytes,
			MAX_BYTES, (unsigned)random_next(&chance));
		if (crossed.len != 0)
			*last = crossed;
	}
	for (uint32_t left = 1 + random_below(&chance, MAX_STEPS); left > 0; left--)
		last->len = LLVMFuzzerCustomMutator(last->bytes, last->len, MAX_BYTES, (unsigned)random_next(&chance));
	execute(last);
}

/* Shared, so that it outlives the process. */
static void open_last(const char *path)
{
	FILE *file = fopen(path, "w+");
	void *shared = MAP_FAILED;
	if (file != NULL && ftruncate(fileno(file), sizeof *last) == 0)
		shared = mmap(NULL, sizeof *last, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
	if (shared == MAP_FAILED)
		exit(2);
	last = shared;
	fclose(file);
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	open_last(argv[1]);
	if (LLVMFuzzerInitialize != NULL)
		LLVMFuzzerInitialize(&argc, &argv);
	for (int i = 3; i < argc; i++)
		take_file(argv[i]);
	for (uint32_t i = 0; i < file_count; i++) {
		*last = files[i];
		execute(last);
	}
	for (long left = strtol(argv[2], NULL, 10); left > 0; left--)
		execute_change();
	printf("%u files and %s changes of them\n", file_count, argv[2]);
	return 0;
}
