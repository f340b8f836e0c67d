/* SPDX-License-Identifier: MIT
 *
 * Interns the places of frames. A place is copied when the first frame of it is made: then its code is running, so its
 * library is loaded. When a report is made, the library may be unloaded. */
#ifndef TRACEBACK_PLACE_H
#define TRACEBACK_PLACE_H

#include <stmlog/traceback.h>

#include "interned.h"

/* A function's name and a file's, each with its NUL; NULL is "". Longer ones are cut. */
#define PLACE_TEXT_MAX 256
struct place_texts {
	size_t file; /* where the file's name begins */
	size_t len;
	char bytes[2 * PLACE_TEXT_MAX];
};
void place_texts_make(struct place_texts *texts, const char *function, const char *file);

extern struct interned place_copies;

/* The slow path of place_intern(). Without memory there is no copy. */
void place_intern_on(const struct tb_place *place);

/* Copies the site's place, if the site is a place that has no copy yet. */
static inline void place_intern(struct tb_site site)
{
	if (site.code == TB_CODE_PLACE && STMLOG_UNLIKELY(interned_find(&place_copies, (void *)site.position) == NULL))
		place_intern_on((const struct tb_place *)site.position);
}

/* Frees the copies. Called when no thread makes frames or reads places any more. */
void place_forget(void);

#endif
