/* SPDX-License-Identifier: MIT
 * What boxes.c knows of a nest before it draws it, and what it says of the boxes afterwards. */
#ifndef BOX_PARTS_H
#define BOX_PARTS_H

#include "boxes.h"

/* Of a part, and of all in it. */
struct box_sums {
	uint64_t form; /* equal for parts of equal forms and tags */
	uint64_t from, until, time_ns;
	size_t first_leaf;
	size_t leaves;
	size_t rows; /* that it needs if nothing is drawn as one */
};

/* Returns the sums of all parts, by their numbers; owned by the caller. A part without leaves has leaves == 0. */
struct box_sums *box_sums_of(const struct nest *nest, const struct box_leaf *leaves);

/* Fills in what each box says of its leaves, by boxes->of_leaves, which has `len` numbers of boxes. */
void box_parts_count(struct boxes *boxes, const struct box_leaf *leaves, size_t len);

/* For qsort(). */
static inline int box_parts_compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

#endif
