/* SPDX-License-Identifier: MIT
 * The table of places, each thread's cache of it, and reading an origin. */
#include "origins.h"

#include <string.h>

#include <atomic_ops.h>

#include "site_hash.h"

#define PROBES 32u

enum { FREE, BEING_FILLED, FIRST_HASH };

/* Invariant: hash >= FIRST_HASH  =>  `traceback` is complete, and never changes. */
struct row {
	volatile AO_t hash;
	struct tb_copy traceback;
};

static struct row rows[ORIGIN_PLACES];
static volatile AO_t sessions;

/* ---- the table ---- */

/* Acquire; partner: the release in fill(). */
static AO_t hash_at(const struct row *row)
{
	return AO_load_acquire(&row->hash);
}

static bool is_same(const struct tb_copy *a, const struct tb_copy *b)
{
	return a->len == b->len && a->is_whole == b->is_whole &&
	       memcmp(a->sites, b->sites, a->len * sizeof a->sites[0]) == 0;
}

/* Requires that this thread has claimed the row. */
static void fill(struct row *row, const struct tb_copy *traceback, AO_t hash)
{
	row->traceback.len = traceback->len;
	row->traceback.is_whole = traceback->is_whole;
	memcpy(row->traceback.sites, traceback->sites, traceback->len * sizeof traceback->sites[0]);
	/* Release; partner: hash_at(). The row is complete before its hash is seen. */
	AO_store_release(&row->hash, hash);
}

/* Whether the row has this traceback, or has it now. */
static bool has_or_takes(struct row *row, const struct tb_copy *traceback, AO_t hash)
{
	/* No order is needed with the claim: nobody reads the row before its hash is published. */
	if (hash_at(row) == FREE && AO_compare_and_swap_acquire(&row->hash, FREE, BEING_FILLED)) {
		fill(row, traceback, hash);
		return true;
	}
	return hash_at(row) == hash && is_same(&row->traceback, traceback);
}

/* The number of the traceback; 0: there is no room near where it belongs. */
static uint32_t number_of(const struct tb_frame *frames)
{
	struct tb_copy traceback;
	tb_copy_take(&traceback, frames);
	AO_t hash = (AO_t)tb_copy_hash(&traceback) | FIRST_HASH;
	for (uint32_t i = 0; i < PROBES; i++) {
		uint32_t at = (uint32_t)((hash >> 8) + i) % ORIGIN_PLACES;
		if (at != 0 && has_or_takes(&rows[at], &traceback, hash))
			return at;
	}
	return 0;
}

/* ---- the cache ---- */

void origins_open(void)
{
	AO_fetch_and_add1(&sessions);
}

/* Never 0: so a small number, such as an attempt's, is taken for no origin. */
static uint64_t session_bits(void)
{
	return (uint64_t)(AO_load(&sessions) % 7 + 1) << (ORIGIN_PLACE_BITS + ORIGIN_ATTEMPT_BITS + ORIGIN_THREAD_BITS);
}

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
	for (size_t set = 0; set < ORIGIN_SETS; set++)
		for (size_t way = 0; way < ORIGIN_WAYS; way++)
			forget(&cache->sets[set][way], stack);
}

/* Whether the entry is of a traceback with equal sites, as far as a place has any. */
static inline bool is_of(const struct origin_entry *entry, const struct tb_frame *traceback)
{
	const struct tb_frame *frame = entry->traceback;
	if (frame == NULL)
		return false;
	for (unsigned left = TB_COPY_FRAMES; frame != traceback; frame = frame->down, traceback = traceback->down)
		if (left-- == 0)
			return true;
		else if (!site_is_same(frame->site, traceback->site) || !tb_is_frame(frame) || !tb_is_frame(traceback))
			return false;
	return true;
}

/* The first entry of the set is of another traceback. */
static __attribute__((noinline)) uint32_t look_further(
	struct origin_cache *cache, struct origin_entry *set, struct tb_stack *stack, struct tb_frame *traceback)
{
	if (!tb_is_frame(traceback))
		return 0;
	for (size_t way = 1; way < ORIGIN_WAYS; way++)
		if (is_of(&set[way], traceback))
			return set[way].place;
	struct origin_entry *entry = &set[cache->turns++ % ORIGIN_WAYS];
	forget(entry, stack);
	*entry = (struct origin_entry){tb_ref(traceback), number_of(traceback)};
	return entry->place;
}

static inline uint32_t place_of(struct origin_cache *cache, struct tb_stack *stack, struct tb_frame *traceback)
{
	struct origin_entry *set = cache->sets[(site_hash(traceback->site) >> 32) % ORIGIN_SETS];
	return STMLOG_LIKELY(is_of(set, traceback)) ? set->place : look_further(cache, set, stack, traceback);
}

uint64_t origin_of(struct origin_cache *cache, struct tb_stack *stack, uint64_t attempt, struct tb_frame *traceback)
{
	uint64_t known = attempt & STMLOG_ORIGIN_ATTEMPTS;
	return cache->base | known << ORIGIN_PLACE_BITS | place_of(cache, stack, traceback);
}

/* ---- any thread ---- */

bool stmlog_origin_read(uint64_t origin, struct stmlog_origin_parts *parts)
{
	uint32_t place = origin % ORIGIN_PLACES;
	*parts = (struct stmlog_origin_parts){.thread = 0};
	if (((origin ^ session_bits()) >> (ORIGIN_PLACE_BITS + ORIGIN_ATTEMPT_BITS + ORIGIN_THREAD_BITS)) != 0)
		return false;
	parts->thread =
		(uint32_t)(origin >> (ORIGIN_PLACE_BITS + ORIGIN_ATTEMPT_BITS)) & ((1u << ORIGIN_THREAD_BITS) - 1);
	parts->attempt = origin >> ORIGIN_PLACE_BITS & STMLOG_ORIGIN_ATTEMPTS;
	/* Acquire; partner: the release in fill(). A number that no thread was given is the number of no traceback. */
	if (place != 0 && hash_at(&rows[place]) >= FIRST_HASH)
		parts->traceback = &rows[place].traceback;
	return true;
}
