/* SPDX-License-Identifier: MIT
 * The texts of sites: places with their texts, and pieces of code with their numbers (tb_code_intern()). */
#include "place.h"

#include <stddef.h>
#include <string.h>

#include <atomic_ops.h>

#include <stmlog/traceback.h>

#include "interned.h"
#include "mem.h"

/* ---- places ---- */

struct place_copy {
	uint32_t line;
	struct place_texts texts; /* without the rest of its bytes */
};

struct interned place_copies;

static void append(struct place_texts *texts, const char *text)
{
	size_t len = text != NULL ? strnlen(text, PLACE_TEXT_MAX - 1) : 0;
	if (len > 0)
		memcpy(texts->bytes + texts->len, text, len);
	texts->bytes[texts->len + len] = '\0';
	texts->len += len + 1;
}

void place_texts_make(struct place_texts *texts, const char *function, const char *file)
{
	texts->len = 0;
	append(texts, function);
	texts->file = texts->len;
	append(texts, file);
}

void place_intern_on(const struct tb_place *place)
{
	struct place_copy copy;
	if (place == NULL)
		return;
	copy.line = place->line;
	place_texts_make(&copy.texts, place->function, place->file);
	interned_add(&place_copies, place, &copy, offsetof(struct place_copy, texts.bytes) + copy.texts.len);
}

struct tb_place tb_place_text(const struct tb_place *place)
{
	const struct place_copy *copy = interned_find(&place_copies, place);
	if (copy == NULL)
		return *place;
	const char *function = copy->texts.bytes;
	return (struct tb_place){.function = function, .file = function + copy->texts.file, .line = copy->line};
}

void place_forget(void)
{
	interned_clear(&place_copies);
}

/* ---- pieces of code ----
 *
 * A hash table finds a piece of code by its two texts; an array finds it by
 * its number, when outputs are made. Both only grow. They are allocated with the first piece of code.
 *
 * No lock: a piece of code is complete, and in the array, before a compare-and-swap puts it in front of its bucket. The
 * swap fails if the bucket has changed since it was searched; then the search goes on with the pieces of code that were
 * added. So no two pieces of code with the same texts get into a bucket. A thread that finds its texts among those has
 * allocated a number that is never used; this is rare, because two threads seldom intern the same code at once. */

#define BUCKETS 65536u

/* Never changes once it is in a bucket. */
struct code {
	const struct code *older; /* in the same bucket */
	uint32_t number;          /* 1 to TB_CODES */
	uint16_t file;            /* as in struct place_texts */
	uint16_t len;
	char texts[];
};

struct tables {
	volatile AO_t buckets[BUCKETS];        /* const struct code *, the newest */
	volatile AO_t by_number[TB_CODES + 1]; /* const struct code *; 0: none yet */
};

static struct interned memory;
static volatile AO_t allocated; /* struct tables *, by mem_table() */
/* How many numbers are allocated, up to TB_CODES, and how often a thread found none left. */
static volatile AO_t numbers_allocated;
static volatile AO_t lost;

/* FNV-1a. */
static size_t bucket_of(const struct place_texts *texts)
{
	uint64_t hash = 0xcbf29ce484222325u;
	for (size_t i = 0; i < texts->len; i++)
		hash = (hash ^ (unsigned char)texts->bytes[i]) * 0x100000001b3u;
	return (size_t)(hash ^ hash >> 32) % BUCKETS;
}

/* ---- the table ---- */

/* Looks for the texts in a bucket, from `newest` up to `end`, which is excluded. */
static const struct code *find(const struct code *newest, const struct code *end, const struct place_texts *texts)
{
	for (const struct code *code = newest; code != end; code = code->older)
		if (code->len == texts->len && memcmp(code->texts, texts->bytes, texts->len) == 0)
			return code;
	return NULL;
}

/* Makes a piece of code, in the array but in no bucket; NULL: no memory, or no number is left. The count is read first
 * so that no memory is allocated once all numbers are; the increment allocates the number. */
static struct code *make_code(struct tables *tables, const struct place_texts *texts)
{
	struct code *code =
		AO_load(&numbers_allocated) < TB_CODES ? interned_alloc(&memory, sizeof *code + texts->len) : NULL;
	AO_t number = code != NULL ? AO_fetch_and_add1(&numbers_allocated) + 1 : 0;
	if (code == NULL || number > TB_CODES)
		return NULL;
	code->number = (uint32_t)number;
	code->file = (uint16_t)texts->file;
	code->len = (uint16_t)texts->len;
	memcpy(code->texts, texts->bytes, texts->len);
	AO_store_release(&tables->by_number[number], (AO_t)code); /* partner: code_of() */
	return code;
}

static uintptr_t count_unknown(void)
{
	AO_fetch_and_add1(&lost);
	return TB_CODE_UNKNOWN;
}

uintptr_t tb_code_intern(const char *function, const char *file)
{
	struct place_texts texts;
	struct code *own = NULL;
	const struct code *searched = NULL;
	struct tables *tables = mem_table(&allocated, sizeof *tables);
	if (tables == NULL)
		return count_unknown();
	place_texts_make(&texts, function, file);
	volatile AO_t *bucket = &tables->buckets[bucket_of(&texts)];
	for (;;) {
		/* Acquire; partner: the swap below. */
		const struct code *newest = (const struct code *)AO_load_acquire(bucket);
		const struct code *found = find(newest, searched, &texts);
		if (found != NULL)
			return TB_CODE_UNKNOWN + found->number;
		if (own == NULL && (own = make_code(tables, &texts)) == NULL)
			return count_unknown();
		own->older = searched = newest;
		if (AO_compare_and_swap_full(bucket, (AO_t)newest, (AO_t)own)) /* partner: the load above */
			return TB_CODE_UNKNOWN + own->number;
	}
}

/* NULL: no piece of code has this number. */
static const struct code *code_of(uintptr_t number)
{
	const struct tables *tables =
		(const struct tables *)AO_load_acquire(&allocated); /* partner: mem_table_first() */
	if (tables == NULL || number > TB_CODES)
		return NULL;
	return (const struct code *)AO_load_acquire(&tables->by_number[number]); /* partner: make_code() */
}

bool tb_code_place(struct tb_site site, struct tb_place *place)
{
	static const struct tb_place unknown = {"unknown code", "", 0};
	uintptr_t number = site.code - TB_CODE_UNKNOWN;
	const struct code *code = code_of(number);
	if (number != 0 && code == NULL)
		return false;
	*place = code != NULL ? (struct tb_place){code->texts, code->texts + code->file, 0} : unknown;
	place->line = (uint32_t)site.position;
	return true;
}

uint64_t tb_codes_lost(void)
{
	return AO_load(&lost);
}
