/* SPDX-License-Identifier: MIT
 * Tasks as a picture (SVG) that needs no other file: a legend, the fork-join graph and the tree of creations
 * (layout.h). Both are elements of their own with the ids "graph" and "creations", which the page of `report --html`
 * shows by themselves; in these the element of a box has the class "box" and, as its id, "graph" or "creations" and
 * its number. The same recording gives the same bytes. */
#ifndef PICTURE_H
#define PICTURE_H

#include <stdio.h>

#include "layout.h"
#include "work.h"

struct picture {
	const struct recording *recording;
	const struct work *work; /* without a fault */
	struct layout graph, creations;
};

struct picture picture_of(const struct recording *recording, const struct work *work);
void picture_fini(struct picture *picture);

void picture_write(const struct picture *picture, FILE *out);

/* The colour of a tag, "#0072b2"; and black or white, whichever can be read on it at this speed, 0 to 1. */
const char *picture_fill(size_t tag);
const char *picture_ink(size_t tag, double speed);

#endif
