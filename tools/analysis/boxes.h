/* SPDX-License-Identifier: MIT
 * A nest as boxes that do not overlap. A box has a place along an axis, and rows across it. Parts that are side by side
 * have rows of their own; what comes before or behind them has the rows of all of them.
 *
 * A picture has room for so many rows and boxes, however large the nest is. Equal parts (of the same form, with the
 * same tags) are drawn apart while there is room, those that take most time first; others as one, in the place of the
 * one that ends last. Where there is no room for all that is unlike, one box stands for the rest; and neighbours too
 * narrow to be seen are one box. Each leaf is in exactly one box.
 */
#ifndef BOXES_H
#define BOXES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nest.h"

/* What is drawn of a leaf. */
struct box_leaf {
	uint64_t from, until; /* along the axis */
	uint64_t time_ns;
	size_t tag;   /* TASKS_NONE: none */
	double speed; /* 0 to 1 */
};

/* Invariants: rows >= 1; from <= until; min_ns <= max_ns; time_ns is the sum of all leaves. */
struct box {
	uint64_t from, until;
	size_t row, rows;
	size_t leaf;   /* the first of its leaves */
	size_t leaves; /* that it stands for */
	size_t copies; /* equal parts, of each of which it has one leaf; 0: its leaves are unlike, or neighbours */
	uint64_t time_ns, min_ns, max_ns;
	size_t tag;   /* that takes most of the time; TASKS_NONE: none */
	double speed; /* the mean of the leaves of that tag, weighted by time */
};

struct boxes {
	struct box *boxes;
	size_t len, cap;
	size_t rows;
	uint64_t extent; /* of the axis, from 0 on */
	size_t *of_leaves;
};

struct box_room {
	size_t rows;  /* at least 1 */
	size_t boxes; /* wished for; only a nest whose leaves have no length may need more, one for each row */
};

/* `leaves` has what the nest has, by number, `len` in all. Requires that leaves which follow each other in a series do
 * so along the axis. The caller owns the result: boxes_fini(). Takes O(n log n) for each doubling of the least width.
 */
struct boxes boxes_of(const struct nest *nest, const struct box_leaf *leaves, size_t len, struct box_room room);
void boxes_fini(struct boxes *boxes);

/* Whether two boxes have a row in common: then their order along the axis shows which of them leads to the other. */
static inline bool boxes_share_rows(const struct box *a, const struct box *b)
{
	return a->row < b->row + b->rows && b->row < a->row + a->rows;
}

#endif
