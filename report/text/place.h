/* SPDX-License-Identifier: MIT
 * Places: sites with the same name are one place, even if their addresses differ. Likewise, tracebacks whose frames
 * have the same names are one. Names are looked up when they are first needed. */
#ifndef PLACE_H
#define PLACE_H

#include "symbol.h"

struct places;

/* Borrows the recording and the symbols, which must outlive the places. Lookups change the places, so only one thread
 * may use them at a time. */
struct places *places_create(const struct recording *recording, struct symbols *symbols);
void places_destroy(struct places **places);

/* The place of a traceback's innermost frame: PLACE_UNKNOWN, PLACE_NO_FRAMES, or a number from PLACE_FIRST on, one for
 * each name. */
enum { PLACE_UNKNOWN, PLACE_NO_FRAMES, PLACE_FIRST };
uint32_t places_innermost(struct places *places, uint32_t traceback);

/* The place of a site. */
uint32_t places_site(struct places *places, uint32_t site);

/* By place: whether a transaction is known to begin there. Owned: memory_free(). */
bool *places_begins(struct places *places);

/* The frame that gives a place its name; NULL for PLACE_UNKNOWN and PLACE_NO_FRAMES. Borrowed from the symbols. */
const struct symbol_frame *places_frame(const struct places *places, uint32_t place);

/* Whether frames of two sites are one place. */
bool place_same_frames(const struct symbol_frame *left, const struct symbol_frame *right);

/* The names of PLACE_UNKNOWN and PLACE_NO_FRAMES; NULL for other places. */
const char *place_fixed_name(uint32_t place);

/* Returns one reference for all tracebacks whose frames have the same names. A cut traceback and a whole one are never
 * the same. */
uint32_t places_traceback(struct places *places, uint32_t traceback);

#endif
