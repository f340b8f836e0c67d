/* SPDX-License-Identifier: MIT
 * Makes and reads origins: the table of places, and each thread's cache of it. */
#include "origins.h"

#include <atomic_ops.h>

#include "check.h"
#include "mem.h"

#define PROBES 32u

enum { FREE, BEING_FILLED, FIRST_HASH };

/* Invariant: hash >= FIRST_HASH  =>  `traceback` is complete, and never changes. */
struct row {
	volatile AO_t hash;
	struct tb_copy traceback;
};

static volatile AO_t table; /* struct row[ORIGIN_PLACES], by mem_table() */

/* ---- the table ---- */

/* Acquire; partner: the release in fill(). */
static AO_t hash_at(const struct row *row)
{
	return AO_load_acquire(&row->hash);
}

/* Requires that this thread has claimed the row. */
static void fill(struct row *row, const struct tb_copy *traceback, AO_t hash)
{
	REQUIRES(AO_load(&row->hash) == BEING_FILLED);
	tb_copy_assign(&row->traceback, traceback);
	/* Release; partner: hash_at(). The row is complete before its hash is seen. */
	AO_store_release(&row->hash, hash);
}

/* Puts the traceback into the row if the row is free. Returns whether the row has the traceback. */
static bool fill_or_match(struct row *row, const struct tb_copy *traceback, AO_t hash)
{
	/* The claim needs no memory order: nobody reads the row before its hash is published. */
	if (hash_at(row) == FREE && AO_compare_and_swap_acquire(&row->hash, FREE, BEING_FILLED)) {
		fill(row, traceback, hash);
		return true;
	}
	return hash_at(row) == hash && tb_copies_are_equal(&row->traceback, traceback);
}

/* Returns the number of the traceback; 0: the rows that may have it are full, or there is no memory for the table.
 * Missing memory counts as a traceback that could not be built. */
static uint32_t number_of(struct tb_stack *stack, const struct tb_frame *frames)
{
	struct tb_copy traceback;
	struct row *rows = mem_table(&table, ORIGIN_PLACES * sizeof *rows);
	if (rows == NULL) {
		stack->lost++;
		return 0;
	}
	tb_copy_take(&traceback, frames);
	AO_t hash = (AO_t)tb_copy_hash(&traceback) | FIRST_HASH;
	for (uint32_t i = 0; i < PROBES; i++) {
		uint32_t at = (uint32_t)((hash >> 8) + i) % ORIGIN_PLACES;
		if (at != 0 && fill_or_match(&rows[at], &traceback, hash))
			return at;
	}
	return 0;
}

/* ---- sessions ---- */

enum { SESSION_SHIFT = ORIGIN_PLACE_BITS + ORIGIN_ATTEMPT_BITS + ORIGIN_THREAD_BITS, SESSIONS = 7 };

/* Never 0, so that a small number, such as an attempt's, is not mistaken for an origin. Stored by the thread that
 * closes the session. */
static volatile AO_t session_number = 1;

void origins_close(void)
{
	AO_store(&session_number, AO_load(&session_number) % SESSIONS + 1);
}

static uint64_t session_bits(void)
{
	return (uint64_t)AO_load(&session_number) << SESSION_SHIFT;
}

/* ---- the cache ---- */

void origin_cache_open(struct origin_cache *cache, uint32_t thread)
{
	uint64_t known = thread >> ORIGIN_THREAD_BITS == 0 ? thread : 0;
	cache->base = session_bits() | known << (ORIGIN_PLACE_BITS + ORIGIN_ATTEMPT_BITS);
}

static void forget(struct origin_entry *entry, struct tb_stack *stack)
{
	if (entry->traceback != NULL)
		tb_unref(stack, entry->traceback);
	entry->traceback = NULL;
}

void origin_cache_clear(struct origin_cache *cache, struct tb_stack *stack)
{
	if (cache->base == 0) /* never used: its memory stays untouched */
		return;
	for (size_t set = 0; set < ORIGIN_SETS; set++)
		for (size_t way = 0; way < ORIGIN_WAYS; way++)
			forget(&cache->sets[set][way], stack);
}

/* Whether both have equal sites down to the depth that a place records. */
static inline bool is_same_place(const struct tb_frame *a, const struct tb_frame *b)
{
	for (unsigned left = TB_COPY_FRAMES; a != b; a = a->down, b = b->down)
		if (left-- == 0)
			return true;
		else if (!site_is_same(a->site, b->site) || !tb_is_frame(a) || !tb_is_frame(b))
			return false;
	return true;
}

static inline struct origin_entry *set_of(struct origin_cache *cache, struct tb_site site)
{
	return (struct origin_entry *)(uintptr_t)origin_set(cache, site);
}

/* Returns the entry of a traceback that has this site above `down`; NULL: none. */
static inline const struct origin_entry *find(
	const struct origin_entry *set, struct tb_site site, const struct tb_frame *down)
{
	for (size_t way = 0; way < ORIGIN_WAYS; way++) {
		const struct tb_frame *frame = set[way].traceback;
		if (frame == NULL)
			return NULL;
		if (site_is_same(frame->site, site) && is_same_place(frame->down, down))
			return &set[way];
	}
	return NULL;
}

static __attribute__((noinline)) uint32_t add(
	struct origin_cache *cache, struct origin_entry *set, struct tb_stack *stack, struct tb_frame *traceback)
{
	struct origin_entry *entry = &set[cache->turns++ % ORIGIN_WAYS];
	for (size_t way = 0; way < ORIGIN_WAYS; way++)
		if (set[way].traceback == NULL) {
			entry = &set[way];
			break;
		}
	forget(entry, stack);
	*entry = (struct origin_entry){tb_ref(traceback), number_of(stack, traceback)};
	return entry->place;
}

uint64_t origin_of(struct origin_cache *cache, struct tb_stack *stack, uint64_t attempt, struct tb_frame *traceback)
{
	if (STMLOG_UNLIKELY(!tb_is_frame(traceback)))
		return origin_with(cache, attempt, 0);
	struct origin_entry *set = set_of(cache, traceback->site);
	const struct origin_entry *entry = find(set, traceback->site, traceback->down);
	return origin_with(cache, attempt, entry != NULL ? entry->place : add(cache, set, stack, traceback));
}

static __attribute__((noinline)) uint32_t build_and_add(
	struct origin_cache *cache, struct origin_entry *set, struct tb_stack *stack, struct tb_site site)
{
	struct tb_frame *traceback = tb_build(stack, &site, 1, tb_current(stack));
	uint32_t place = tb_is_frame(traceback) ? add(cache, set, stack, traceback) : 0;
	tb_unref(stack, traceback);
	return place;
}

uint64_t origin_at(struct origin_cache *cache, struct tb_stack *stack, uint64_t attempt, struct tb_site site)
{
	struct origin_entry *set = set_of(cache, site);
	const struct origin_entry *entry = find(set, site, tb_current(stack));
	return origin_with(cache, attempt, entry != NULL ? entry->place : build_and_add(cache, set, stack, site));
}

struct tb_frame *origin_frames(struct origin_cache *cache, struct tb_stack *stack, uint64_t origin)
{
	struct stmlog_origin_parts parts;
	stmlog_origin_read(origin, &parts);
	if (parts.traceback == NULL || parts.traceback->len == 0)
		return TB_UNKNOWN;
	const struct origin_entry *set = set_of(cache, parts.traceback->sites[0]);
	for (size_t way = 0; way < ORIGIN_WAYS; way++)
		if (set[way].traceback != NULL && set[way].place == origin % ORIGIN_PLACES)
			return tb_ref(set[way].traceback);
	return tb_copy_build(parts.traceback, stack);
}

/* ---- any thread ---- */

bool stmlog_origin_read(uint64_t origin, struct stmlog_origin_parts *parts)
{
	uint32_t place = origin % ORIGIN_PLACES;
	*parts = (struct stmlog_origin_parts){.thread = 0};
	if (origin >> SESSION_SHIFT != AO_load(&session_number))
		return false;
	parts->thread =
		(uint32_t)(origin >> (ORIGIN_PLACE_BITS + ORIGIN_ATTEMPT_BITS)) & ((1u << ORIGIN_THREAD_BITS) - 1);
	parts->attempt = origin >> ORIGIN_PLACE_BITS & STMLOG_ORIGIN_ATTEMPTS;
	const struct row *rows = (const struct row *)AO_load_acquire(&table); /* partner: mem_table_first() */
	/* Acquire; partner: the release in fill(). A number that no thread has allocated has no traceback. */
	if (rows != NULL && place != 0 && hash_at(&rows[place]) >= FIRST_HASH)
		parts->traceback = &rows[place].traceback;
	return true;
}

/* An origin has the lower bits of the attempt's number: the attempt is the newest one with these. */
struct culprit origin_culprit(const struct stmlog_origin_parts *parts)
{
	const struct attempts *attempts = attempts_of(parts->thread);
	if (attempts == NULL)
		return (struct culprit){NULL, 0};
	uint64_t newest = AO_load_acquire(&attempts->word) >> 1; /* partner: attempts_begin() */
	uint64_t since = (newest - parts->attempt) & STMLOG_ORIGIN_ATTEMPTS;
	return since < newest ? (struct culprit){attempts, newest - since} : (struct culprit){NULL, 0};
}
