/* SPDX-License-Identifier: MIT
 *
 * Tracebacks with a word each, numbered as they come, so that 32 bits stand for both. Written by one
 * thread, read by others while it goes on: what has a number never changes, and stays.
 *
 * Invariants: rows[1 .. len) are used, each different from all others, row 0 is the unknown one; each holds a
 * reference to its traceback; recent[] holds numbers of rows, or 0.
 * Partners: a row is stored before its number gets into anything that is published with release order.
 */
#ifndef STMLOG_PLACES_H
#define STMLOG_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stmlog/compiler.h>
#include <stmlog/traceback.h>

#define PLACES_MOST 4096
#define PLACES_RECENT 64

struct places_row {
	struct tb_frame *traceback;
	const char *word;
};

struct places {
	uint32_t len;
	uint32_t last;    /* the number returned last, beside 0 */
	uint64_t refused; /* how often there was no number left */
	uint16_t recent[PLACES_RECENT];
	uint16_t index[2 * PLACES_MOST]; /* by what the traceback says; 0: free */
	struct places_row rows[PLACES_MOST];
};

/* Zeroed memory is an empty one. Gives all references back to `stack`. */
void places_clear(struct places *places, struct tb_stack *stack);

/* Out of line: neither the unknown one nor the last. */
uint32_t places_number_on(struct places *places, struct tb_frame *traceback, const char *word);

/* Its number, a new one if need be; 0 when there is no room, and for the unknown traceback without a word. Refers to
 * `traceback`, which stays the caller's. Words are compared by their addresses. */
static inline uint32_t places_number(struct places *places, struct tb_frame *traceback, const char *word)
{
	const struct places_row *last = &places->rows[places->last];
	if (STMLOG_LIKELY(traceback == last->traceback && word == last->word))
		return places->last;
	return tb_is_unknown(traceback) && word == NULL ? 0 : places_number_on(places, traceback, word);
}

#endif
