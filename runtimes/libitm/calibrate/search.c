/* SPDX-License-Identifier: MIT
 * Memory is copied through a pipe: where it cannot be read, write() returns an error and nothing faults. A search
 * counts the places that fit, and returns the place if there is only one. */
#include "calibrate.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "loaded.h"

/* ---- copies ---- */

static int ends[2] = {-1, -1};

/* A pipe takes at least a page at once. */
enum { PIECE = 4096 };

bool probe_open(void)
{
	return pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0;
}

static bool read_piece(uintptr_t address, char *to, size_t size)
{
	ssize_t put = write(ends[1], (const void *)address, size);
	return put > 0 && read(ends[0], to, (size_t)put) == put && (size_t)put == size;
}

bool probe_read(void *unused, uintptr_t address, void *to, size_t size)
{
	(void)unused;
	for (size_t done = 0; done < size; done += PIECE) {
		size_t len = size - done < PIECE ? size - done : PIECE;
		if (!read_piece(address + done, (char *)to + done, len))
			return false;
	}
	return true;
}

struct probe_data probe_data_of(const void *code)
{
	struct native_module module = native_module_find(code);
	if (module.data_parts != 1)
		return (struct probe_data){0, 0};
	/* From the first whole word: the data may begin anywhere. */
	uintptr_t start = (module.data + 7) & ~(uintptr_t)7;
	return (struct probe_data){start, module.data + module.data_size - start};
}

/* ---- searches ---- */

static uint32_t word_at(const void *memory, size_t offset)
{
	uint32_t word;
	memcpy(&word, (const char *)memory + offset, sizeof word);
	return word;
}

static uint64_t long_at(const void *memory, size_t offset)
{
	uint64_t word;
	memcpy(&word, (const char *)memory + offset, sizeof word);
	return word;
}

/* The last place that fits, and how many do. */
struct found {
	size_t offset;
	size_t count;
};

static void note_place(struct found *found, size_t offset)
{
	found->offset = offset;
	found->count++;
}

static size_t sole_place(const struct found *found)
{
	return found->count == 1 ? found->offset : SEARCH_NOWHERE;
}

static bool have_risen(const void *before, const void *after, size_t offset, const uint32_t risen[ITM_REASONS])
{
	for (size_t i = 0; i < ITM_REASONS; i++) {
		size_t counter = offset + i * sizeof *risen;
		if (word_at(after, counter) - word_at(before, counter) != risen[i])
			return false;
	}
	return true;
}

size_t search_counters(const void *before, const void *after, size_t size, const uint32_t risen[ITM_REASONS])
{
	struct found found = {0, 0};
	for (size_t offset = 0; offset + ITM_REASONS * sizeof *risen <= size; offset += sizeof *risen)
		if (have_risen(before, after, offset, risen))
			note_place(&found, offset);
	return sole_place(&found);
}

size_t search_risen(const void *before, const void *after, size_t size, uint64_t risen)
{
	struct found found = {0, 0};
	for (size_t offset = 0; offset + sizeof risen <= size; offset += sizeof risen)
		if (long_at(after, offset) - long_at(before, offset) == risen)
			note_place(&found, offset);
	return sole_place(&found);
}

void search_narrow_pointers(struct search_pointers *pointers, const void *memory, size_t bytes, uint64_t word,
	search_read *read, void *argument)
{
	for (size_t i = 0; i < pointers->size / sizeof(uint64_t); i++) {
		uint64_t pointer = long_at(memory, i * sizeof pointer), found;
		if (pointers->is_ruled_out[i])
			continue;
		pointers->is_ruled_out[i] =
			pointer == 0 || pointer % sizeof pointer != 0 || pointer > UINT64_MAX - bytes ||
			!read(argument, (uintptr_t)pointer + bytes, &found, sizeof found) || found != word;
	}
}

size_t search_pointer(const struct search_pointers *pointers)
{
	struct found found = {0, 0};
	for (size_t i = 0; i < pointers->size / sizeof(uint64_t); i++)
		if (!pointers->is_ruled_out[i])
			note_place(&found, i * sizeof(uint64_t));
	return sole_place(&found);
}

static bool had_values(const void *const *memory, const uint32_t *values, size_t times, size_t offset)
{
	for (size_t i = 0; i < times; i++)
		if (word_at(memory[i], offset) != values[i])
			return false;
	return true;
}

size_t search_values(const void *const *memory, const uint32_t *values, size_t times, size_t size)
{
	struct found found = {0, 0};
	for (size_t offset = 0; offset + sizeof *values <= size; offset += sizeof *values)
		if (had_values(memory, values, times, offset))
			note_place(&found, offset);
	return sole_place(&found);
}
