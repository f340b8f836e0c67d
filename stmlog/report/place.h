/* SPDX-License-Identifier: MIT
 * Where something was, by name: sites that are called the same are one place, at however many addresses; and
 * tracebacks that read the same are one. Looked up as they are asked for. */
#ifndef PLACE_H
#define PLACE_H

#include "symbol.h"

struct places;

/* Borrows both, which must outlive it. */
struct places *places_create(const struct recording *recording, struct symbols *symbols);
void places_destroy(struct places **places);

/* The innermost place of a traceback: PLACE_UNKNOWN, PLACE_NO_FRAMES, or PLACE_FIRST and more, one number for each
 * name. */
enum { PLACE_UNKNOWN, PLACE_NO_FRAMES, PLACE_FIRST };
uint32_t places_innermost(struct places *places, uint32_t traceback);

/* The same of a site. */
uint32_t places_site(struct places *places, uint32_t site);

/* The frame that gives a place its name; NULL for the two that are none. Borrowed from the symbols. */
const struct symbol_frame *places_frame(const struct places *places, uint32_t place);

/* What the two are called; NULL for the others. */
const char *place_fixed_name(uint32_t place);

/* The reference of one traceback for all that read the same: frames of equal names, and equally cut. */
uint32_t places_traceback(struct places *places, uint32_t traceback);

#endif
