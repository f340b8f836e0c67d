/* SPDX-License-Identifier: MIT
 * Makes and reads origins: the table of places, and each thread's cache of it. */
#include "origins.h"

#include <atomic_ops.h>

#include "mem.h"

#define PROBES 32u
#define SITE_PROBES 512u

enum { FREE, BEING_FILLED, FIRST_HASH };

/* Invariant: hash >= FIRST_HASH  =>  `traceback` is complete, and never changes. */
struct row {
	volatile AO_t hash;
	struct tb_copy traceback;
};

static volatile AO_t table; /* struct row[ORIGIN_PLACES], by mem_table() */
static volatile AO_t used;

#define INNERMOST 4u /* frames of a traceback without room */
#define SITES 384u   /* rows that are left to tracebacks of one frame */

/* ---- the table ---- */

/* Puts the traceback into the row if the row is free. Returns whether the row has the traceback. */
static bool fill_or_match(struct row *row, const struct tb_copy *traceback, AO_t hash)
{
	/* The claim needs no memory order: nobody reads the row before its hash is published. */
	if (AO_load(&row->hash) == FREE && AO_compare_and_swap_acquire(&row->hash, FREE, BEING_FILLED)) {
		AO_fetch_and_add1(&used);
		tb_copy_assign(&row->traceback, traceback);
		AO_store_release(&row->hash, hash); /* the row is complete before its hash is seen */
	}
	return AO_load_acquire(&row->hash) == hash && tb_copies_are_equal(&row->traceback, traceback);
}

/* Returns the number of the traceback; 0: the rows that may have it are full, or it has none yet and `limit` are used.
 */
static uint32_t origin_number_of(struct row *rows, const struct tb_copy *traceback, AO_t limit)
{
	AO_t hash = (AO_t)tb_copy_hash(traceback) | FIRST_HASH;
	for (uint32_t i = 0; i < (traceback->len > 1 ? PROBES : SITE_PROBES); i++) {
		uint32_t at = 1 + (uint32_t)((hash >> 8) + i) % (ORIGIN_PLACES - 1);
		if (AO_load(&rows[at].hash) == FREE && AO_load(&used) >= limit)
			return 0;
		if (fill_or_match(&rows[at], traceback, hash))
			return at;
	}
	return 0;
}

/* ---- sessions ---- */

enum { THREAD_SHIFT = ORIGIN_PLACE_BITS + STMLOG_ORIGIN_ATTEMPT_BITS, SESSION_SHIFT = 60, SESSIONS = 7 };

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

static uint32_t thread_of(uint64_t origin)
{
	return (uint32_t)(origin >> THREAD_SHIFT) & ((1u << ORIGIN_THREAD_BITS) - 1);
}

/* ---- the cache ---- */

void origin_cache_open(struct origin_cache *cache, uint32_t thread)
{
	uint64_t known = thread >> ORIGIN_THREAD_BITS == 0 ? thread : 0;
	cache->base = session_bits() | known << THREAD_SHIFT;
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
	if (cache->begin != NULL)
		tb_unref(stack, cache->begin);
	cache->begin = NULL;
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

/* Returns the entry of a traceback that has this site above `down`; NULL: none. */
static inline const struct origin_entry *origin_find(
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

/* Returns the origins of the traceback without the attempt: of its number, of a private place, or of the number of its
 * innermost frames. Missing memory counts as a traceback that could not be built. */
static uint64_t word_of(
	struct origin_cache *cache, struct tb_stack *stack, uint64_t attempt, const struct tb_frame *frames)
{
	struct tb_copy traceback;
	struct row *rows = mem_table(&table, ORIGIN_PLACES * sizeof *rows);
	if (rows == NULL) {
		stack->lost++;
		return cache->base;
	}
	tb_copy_take(&traceback, frames);
	uint64_t number = origin_number_of(rows, &traceback, STMLOG_ORIGIN_PLACES), place = 0;
	if (number == 0)
		place = private_place_fill(&cache->places, thread_of(cache->base), attempt, &traceback);
	if (place != 0)
		return session_bits() | place;
	for (uint32_t len = INNERMOST; number == 0 && len != 0; len /= INNERMOST) {
		traceback.is_whole &= traceback.len <= len;
		traceback.len = traceback.len < len ? traceback.len : len;
		number = origin_number_of(rows, &traceback, len > 1 ? ORIGIN_PLACES - SITES : ORIGIN_PLACES);
	}
	return cache->base | number;
}

/* Replaces the entry that had the same row, since that is another traceback's now; or an empty one; or one in turn.
 * Origins of an earlier lap would be taken for older than they are. */
static __attribute__((noinline)) uint64_t origin_add(struct origin_cache *cache, struct origin_entry *set,
	struct tb_stack *stack, uint64_t attempt, struct tb_frame *traceback)
{
	uint32_t lap = (uint32_t)(attempt >> STMLOG_ORIGIN_ATTEMPT_BITS);
	if (STMLOG_UNLIKELY(lap != cache->lap))
		origin_cache_clear(cache, stack);
	cache->lap = lap;
	uint64_t word = word_of(cache, stack, attempt, traceback);
	struct origin_entry *entry = &set[cache->turns++ % ORIGIN_WAYS];
	for (size_t way = 0; way < ORIGIN_WAYS; way++)
		if (set[way].traceback == NULL ||
			((word & PRIVATE_FLAG) == PRIVATE_FLAG && ((set[way].word ^ word) & PRIVATE_ROW) == 0)) {
			entry = &set[way];
			break;
		}
	forget(entry, stack);
	*entry = (struct origin_entry){tb_ref(traceback), word};
	return origin_with(word, attempt);
}

uint64_t origin_of(struct origin_cache *cache, struct tb_stack *stack, uint64_t attempt, struct tb_frame *traceback)
{
	if (STMLOG_UNLIKELY(!tb_is_frame(traceback)))
		return origin_with(cache->base, attempt);
	struct origin_entry *set = origin_set(cache, traceback->site);
	const struct origin_entry *entry = origin_find(set, traceback->site, traceback->down);
	return entry != NULL ? origin_with(entry->word, attempt) : origin_add(cache, set, stack, attempt, traceback);
}

struct tb_frame *origin_begin(struct origin_cache *cache, struct tb_stack *stack, struct tb_site site)
{
	if (cache->begin != NULL && site_is_same(cache->begin->site, site))
		return cache->begin;
	struct tb_frame *frame = tb_build(stack, &site, 1, TB_EMPTY);
	if (cache->begin != NULL)
		tb_unref(stack, cache->begin);
	return cache->begin = frame;
}

uint64_t origin_at(struct origin_cache *cache, struct tb_stack *stack, uint64_t attempt, struct tb_site site,
	struct tb_frame *down)
{
	const struct origin_entry *entry = origin_find(origin_set(cache, site), site, down);
	if (entry != NULL)
		return origin_with(entry->word, attempt);
	struct tb_frame *traceback = tb_build(stack, &site, 1, down);
	uint64_t origin = origin_of(cache, stack, attempt, traceback);
	tb_unref(stack, traceback);
	return origin;
}

struct tb_frame *origin_frames(struct origin_cache *cache, struct tb_stack *stack, uint64_t origin)
{
	struct stmlog_origin_parts parts;
	stmlog_origin_read(origin, &parts);
	if (parts.traceback == NULL || parts.traceback->len == 0)
		return TB_UNKNOWN;
	/* Several tracebacks may have the same innermost frames. */
	bool is_cut = !parts.traceback->is_whole && parts.traceback->len <= INNERMOST;
	uint64_t word = origin & ~(STMLOG_ORIGIN_ATTEMPTS << ORIGIN_PLACE_BITS);
	const struct origin_entry *set = origin_set(cache, parts.traceback->sites[0]);
	for (size_t way = 0; way < ORIGIN_WAYS; way++)
		if (set[way].traceback != NULL && set[way].word == word && !is_cut)
			return tb_ref(set[way].traceback);
	return tb_copy_build(parts.traceback, stack);
}

/* ---- any thread ---- */

bool stmlog_origin_read(uint64_t origin, struct stmlog_origin_parts *parts)
{
	uint32_t place = origin % (1u << ORIGIN_PLACE_BITS);
	bool is_known = origin >> SESSION_SHIFT == AO_load(&session_number), is_private = place >= ORIGIN_PLACES;
	parts->thread = is_known && !is_private ? thread_of(origin) : 0;
	parts->attempt = is_known ? origin >> ORIGIN_PLACE_BITS & STMLOG_ORIGIN_ATTEMPTS : 0;
	parts->traceback = NULL;
	if (is_known && is_private)
		private_place_read(origin, parts);
	if (!is_known || is_private)
		return is_known;
	const struct row *rows = (const struct row *)AO_load_acquire(&table); /* partner: mem_table_first() */
	/* Acquire; partner: fill_or_match(). A number that no thread has allocated has no traceback. */
	if (rows != NULL && place != 0 && AO_load_acquire(&rows[place].hash) >= FIRST_HASH)
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
