/* SPDX-License-Identifier: MIT
 * The mutator: libFuzzer calls it for each new input. It changes sections, records and numbers, and makes the headers
 * and checksums right again, since readers refuse at the first checksum what was changed blindly. One input in 64 is
 * changed blindly nevertheless. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <stmlog/format.h>

#include "random.h"
#include "sections.h"

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t len, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t len, size_t max, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *left, size_t left_len, const uint8_t *right, size_t right_len,
	uint8_t *out, size_t max, unsigned seed);

enum { BLINDLY = 64, MAX_CHANGES = 4 };

static struct fuzz_sections ours, theirs;

static bool is_one_in(struct random *random, uint32_t times)
{
	return random_below(random, times) == 0;
}

static struct fuzz_section *some_section(struct fuzz_sections *sections, struct random *random)
{
	return sections->at[random_below(random, (uint32_t)sections->count)];
}

/* ---- numbers ---- */

/* A number that a reader may get wrong: around 0, around powers of two, or around the lengths and counts of the file.
 */
static uint64_t some_number(struct random *random)
{
	static const uint64_t ends[] = {0, UINT8_MAX, UINT16_MAX, INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX};
	const struct fuzz_section *section = some_section(&ours, random);
	uint64_t near = random_below(random, 5) - (uint64_t)2;
	switch (random_below(random, 4)) {
	case 0:
		return ends[random_below(random, sizeof ends / sizeof ends[0])] + near;
	case 1:
		return (1ull << random_below(random, 64)) + near;
	case 2:
		return section->len + near;
	default:
		return (section->record_size != 0 ? section->len / section->record_size : random_below(random, 300)) +
		       near;
	}
}

/* Sets a number of 4 or 8 bytes, moves it a little, or copies it from elsewhere in the section. */
static void change_number(struct fuzz_section *section, struct random *random)
{
	size_t width = is_one_in(random, 2) ? 4 : 8;
	uint64_t number = 0;
	if (section->len < width)
		return;
	uint32_t places = (uint32_t)((section->len - width) / 4 + 1);
	uint8_t *at = section->bytes + 4 * (size_t)random_below(random, places);
	switch (random_below(random, 3)) {
	case 0:
		number = some_number(random);
		break;
	case 1:
		memcpy(&number, at, width);
		number += random_below(random, 17) - (uint64_t)8;
		break;
	default:
		memcpy(&number, section->bytes + 4 * (size_t)random_below(random, places), width);
	}
	memcpy(at, &number, width);
}

/* ---- records ---- */

/* Doubles a record, or removes it. Without records, the unit is four bytes. */
static void change_records(struct fuzz_section *section, struct random *random)
{
	size_t size = section->record_size != 0 ? section->record_size : 4;
	if (section->len < size)
		return;
	size_t at = size * random_below(random, (uint32_t)(section->len / size));
	size_t behind = section->len - at;
	if (is_one_in(random, 2)) {
		memmove(section->bytes + at, section->bytes + at + size, behind - size);
		section->len -= size;
	} else if (section->len + size <= MAX_PAYLOAD) {
		memmove(section->bytes + at + size, section->bytes + at, behind);
		section->len += size;
	}
}

static void change_bytes(struct fuzz_section *section, struct random *random)
{
	size_t max = section->len + 64 < MAX_PAYLOAD ? section->len + 64 : MAX_PAYLOAD;
	section->len = LLVMFuzzerMutate(section->bytes, section->len, max);
	if (section->record_size != 0 && !is_one_in(random, 16))
		section->len -= section->len % section->record_size;
}

static void change_size(struct fuzz_section *section, struct random *random)
{
	section->record_size = is_one_in(random, 4) ? (uint32_t)some_number(random)
						    : section->record_size + 8 * random_below(random, 5) - 16;
}

/* ---- sections ---- */

static void remove_section(struct fuzz_sections *sections, struct random *random)
{
	uint32_t at = random_below(random, (uint32_t)sections->count);
	if (sections->count == 1)
		return;
	struct fuzz_section *removed = sections->at[at];
	sections->count--;
	memmove(&sections->at[at], &sections->at[at + 1], (sections->count - at) * sizeof removed);
	sections->at[sections->count] = removed;
}

/* Puts a copy of the section where its type belongs; it takes the place of a section of the same type. */
static void put_section(struct fuzz_sections *sections, const struct fuzz_section *section)
{
	size_t at = 0;
	while (at < sections->count && sections->at[at]->type < section->type)
		at++;
	if (at == sections->count || sections->at[at]->type != section->type) {
		if (sections->count == MAX_SECTIONS)
			return;
		struct fuzz_section *unused = sections->at[sections->count];
		memmove(&sections->at[at + 1], &sections->at[at], (sections->count - at) * sizeof unused);
		sections->at[at] = unused;
		sections->count++;
	}
	struct fuzz_section *to = sections->at[at];
	to->type = section->type;
	to->record_size = section->record_size;
	to->len = section->len;
	memcpy(to->bytes, section->bytes, section->len);
}

static void change(struct fuzz_sections *sections, struct random *random)
{
	struct fuzz_section *section = some_section(sections, random);
	uint32_t kind = random_below(random, 40);
	if (kind < 18)
		change_number(section, random);
	else if (kind < 26)
		change_records(section, random);
	else if (kind < 35)
		change_bytes(section, random);
	else if (kind == 35)
		change_size(section, random);
	else if (kind == 36)
		remove_section(sections, random);
	else if (kind == 37)
		section->type = is_one_in(random, 8) ? (uint32_t)some_number(random) : random_below(random, 21);
	else
		sections->choice = (uint8_t)random_next(random);
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t len, size_t max, unsigned seed)
{
	struct random random = {seed};
	if (is_one_in(&random, BLINDLY) || !fuzz_take_apart(&ours, bytes, len))
		return LLVMFuzzerMutate(bytes, len, max);
	for (uint32_t left = 1 + random_below(&random, MAX_CHANGES); left > 0; left--)
		change(&ours, &random);
	size_t made = fuzz_put_together(&ours, bytes, max);
	return made != 0 ? made : len;
}

/* Some sections of the right file take the places of those of the left one. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *left, size_t left_len, const uint8_t *right, size_t right_len,
	uint8_t *out, size_t max, unsigned seed)
{
	struct random random = {seed};
	if (!fuzz_take_apart(&ours, left, left_len) || !fuzz_take_apart(&theirs, right, right_len))
		return 0;
	for (size_t i = 0; i < theirs.count; i++) {
		if (is_one_in(&random, 4))
			put_section(&ours, theirs.at[i]);
	}
	return fuzz_put_together(&ours, out, max);
}
