/* SPDX-License-Identifier: MIT
 *
 * Places: pairs of a traceback and a word, numbered as they come, so that an event needs 32 bits for both. One thread
 * writes, others read while it goes on: a row with a number never changes.
 *
 * Invariants: rows[1 .. len) are different and hold a reference to their tracebacks; row 0 is the unknown place;
 * recent[] has numbers of rows, or 0.
 * Partners: a row is stored before its number is published with release order.
 */
#ifndef STMLOG_PLACES_H
#define STMLOG_PLACES_H

#include <stddef.h>
#include <stdint.h>

#include <stmlog/compiler.h>
#include <stmlog/traceback.h>

#define PLACES_MAX 4096
#define PLACES_RECENT 64

struct places_row {
	struct tb_frame *traceback;
	const char *word;
};

struct places {
	uint32_t len;
	uint32_t last;                  /* the last number returned that was not 0 */
	uint64_t refused;               /* how often no number was left */
	uint16_t recent[PLACES_RECENT]; /* cache of numbers, by the innermost site of the traceback */
	uint16_t index[2 * PLACES_MAX]; /* hash table of numbers, by the traceback's sites; 0: free */
	struct places_row rows[PLACES_MAX];
};

/* Releases all references into `stack`, and empties the table. Zeroed memory is an empty table. */
void places_clear(struct places *places, struct tb_stack *stack);

/* The slow path of places_number(). */
uint32_t places_number_on(struct places *places, struct tb_frame *traceback, const char *word);

/* Returns the number of a place, which is new if the place has none yet. 0: there is no room, or the traceback is
 * unknown and the word NULL. `traceback` is borrowed. Words are compared by address. */
static inline uint32_t places_number(struct places *places, struct tb_frame *traceback, const char *word)
{
	const struct places_row *last = &places->rows[places->last];
	if (STMLOG_LIKELY(traceback == last->traceback && word == last->word))
		return places->last;
	return tb_is_unknown(traceback) && word == NULL ? 0 : places_number_on(places, traceback, word);
}

#endif
