/* SPDX-License-Identifier: MIT
 *
 * Places that frames were made of. A place is copied when the first frame is made of it: then its code runs, so it is
 * there. When a report is made, the library that it is in may be unloaded. */
#ifndef TRACEBACK_PLACE_H
#define TRACEBACK_PLACE_H

#include <stmlog/traceback.h>

#include "keep.h"

extern struct keep place_copies;

/* The slow path of place_keep(). Without memory there is no copy. */
void place_keep_on(const struct tb_place *place);

/* Copies the site's place, if it is one, and was not met before. */
static inline void place_keep(struct tb_site site)
{
	if (site.code == TB_CODE_PLACE && STMLOG_UNLIKELY(keep_find(&place_copies, (void *)site.position) == NULL))
		place_keep_on((const struct tb_place *)site.position);
}

/* Frees the copies, when no thread makes frames or looks at places any more. */
void place_forget(void);

#endif
