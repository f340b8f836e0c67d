/* SPDX-License-Identifier: MIT
 * Numbers places by a hash table, with a cache in front of it. */
#include "places.h"

#include <string.h>

#include <stmlog/compiler.h>

#include "words.h"

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

static uint32_t add(struct places *places, struct tb_frame *traceback, const char *word)
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

static uint32_t find_or_add(struct places *places, struct tb_frame *traceback, const char *word)
{
	size_t slot = (size_t)(mix(tb_hash(traceback), word) >> 32) % SLOTS;
	for (; places->index[slot] != 0; slot = (slot + 1) % SLOTS) {
		const struct places_row *row = &places->rows[places->index[slot]];
		if (row->word == word && tb_equal(row->traceback, traceback))
			return places->index[slot];
	}
	uint32_t number = add(places, traceback, word);
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
		number = find_or_add(places, traceback, word);
	*recent = (uint16_t)number;
	if (number != 0)
		places->last = number;
	return number;
}
