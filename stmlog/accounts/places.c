/* SPDX-License-Identifier: MIT
 * Numbers places by a hash table, with a cache in front of it; adds times to the paths of a thread, and reads them. */
#include "places.h"

#include <string.h>

#include <stmlog/compiler.h>

#include "mem.h"
#include "session.h"

/* ---- places ---- */

#define SLOTS (2 * PLACES_MAX)

static uint64_t mix(uint64_t hash, const char *word)
{
	return (hash ^ (uintptr_t)word) * 0x9e3779b97f4a7c15u;
}

void places_clear(struct places *places, struct tb_stack *stack)
{
	for (uint32_t i = 1; i < places->len; i++)
		tb_unref(stack, places->rows[i].traceback);
	memset(places->index, 0, sizeof places->index);
	memset(places->recent, 0, sizeof places->recent);
	places->len = 0;
	places->last = 0;
	places->refused = 0;
}

static uint32_t place_add(struct places *places, struct tb_frame *traceback, const char *word)
{
	if (places->len == 0)
		places->rows[places->len++] = (struct places_row){TB_UNKNOWN, NULL};
	if (places->len == PLACES_MAX) {
		places->refused++;
		return 0;
	}
	words_intern(word);
	places->rows[places->len] = (struct places_row){tb_ref(traceback), word};
	return places->len++;
}

static uint32_t place_find_or_add(struct places *places, struct tb_frame *traceback, const char *word)
{
	size_t slot = (size_t)(mix(tb_hash(traceback), word) >> 32) % SLOTS;
	for (; places->index[slot] != 0; slot = (slot + 1) % SLOTS) {
		const struct places_row *row = &places->rows[places->index[slot]];
		if (row->word == word && tb_equal(row->traceback, traceback))
			return places->index[slot];
	}
	uint32_t number = place_add(places, traceback, word);
	places->index[slot] = (uint16_t)number;
	return number;
}

/* When a function is entered again, its frames may lie at other addresses than those of the row, with equal sites. So
 * the cache is indexed by the innermost site. The comparison ends at the first frame that both tracebacks share: a row
 * has a reference to its traceback, so these frames are not reused. */
uint32_t places_number_on(struct places *places, struct tb_frame *traceback, const char *word)
{
	uint16_t *recent = &places->recent[(mix(traceback->site.position, word) >> 32) % PLACES_RECENT];
	const struct places_row *row = &places->rows[*recent];
	uint32_t number = *recent;
	if (STMLOG_UNLIKELY(number == 0 || row->word != word || !tb_equal(row->traceback, traceback)))
		number = place_find_or_add(places, traceback, word);
	*recent = (uint16_t)number;
	if (number != 0)
		places->last = number;
	return number;
}

/* ---- paths ---- */

struct paths *paths_create(void)
{
	return mem_alloc(sizeof(struct paths));
}

void paths_destroy(struct paths **paths, struct tb_stack *stack)
{
	if (*paths == NULL)
		return;
	places_clear(&(*paths)->places, stack);
	mem_free(*paths, sizeof **paths);
	*paths = NULL;
}

void paths_clear(struct paths *paths, struct tb_stack *stack)
{
	places_clear(&paths->places, stack);
	memset(paths, 0, sizeof *paths);
}

static void cost_add(struct path_cost *cost, enum path_kind kind, uint64_t ns, uint32_t extra)
{
	AO_store(&cost->count[kind], AO_load(&cost->count[kind]) + 1);
	AO_store(&cost->ns[kind], AO_load(&cost->ns[kind]) + ns);
	AO_store(&cost->surplus[kind], AO_load(&cost->surplus[kind]) + extra);
	AO_store(&cost->surplus_ns[kind], AO_load(&cost->surplus_ns[kind]) + ns * extra);
}

static struct path_cost *cost_of(struct paths *paths, struct tb_frame *traceback)
{
	if (tb_is_unknown(traceback))
		return &paths->costs[0];
	uint32_t number = places_number(&paths->places, traceback, NULL);
	if (number == 0)
		return &paths->overflow;
	if (number >= AO_load(&paths->len))
		AO_store_release(&paths->len, number + 1); /* partner: paths_each() */
	return &paths->costs[number];
}

void paths_add(struct paths *paths, struct tb_frame *traceback, enum path_kind kind, uint64_t ns, uint32_t extra)
{
	cost_add(cost_of(paths, traceback), kind, ns, extra);
}

static bool has_any(const struct path_cost *cost)
{
	AO_t count = 0;
	for (int kind = 0; kind < PATH_KINDS; kind++)
		count |= AO_load(&cost->count[kind]);
	return count != 0;
}

void paths_each(const struct paths *paths,
	void (*each)(const struct tb_frame *traceback, bool is_overflow, const struct path_cost *cost, void *arg),
	void *arg)
{
	AO_t len = AO_load_acquire(&paths->len); /* partner: cost_of() */
	if (has_any(&paths->costs[0]))
		each(TB_UNKNOWN, false, &paths->costs[0], arg);
	for (AO_t i = 1; i < len; i++)
		if (has_any(&paths->costs[i]))
			each(paths->places.rows[i].traceback, false, &paths->costs[i], arg);
	if (has_any(&paths->overflow))
		each(TB_UNKNOWN, true, &paths->overflow, arg);
}
