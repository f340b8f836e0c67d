/* SPDX-License-Identifier: MIT
 * Where the paths of a graph of tasks meet again: for each segment the first one that is on all paths from it onward
 * (its immediate post-dominator). Each segment points to the one where its paths meet, and so they form a tree, whose
 * root is the end of the program. */
#ifndef JOINS_H
#define JOINS_H

#include <stddef.h>

#include "tasks.h"

/* Arrays by segment, with one element more for the root. */
struct joins {
	size_t root;   /* the number of segments */
	size_t *meets; /* the root's is the root */
	size_t *rank;  /* in a walk over the tree that takes each subtree as a whole, the root first */
	size_t *depth;
	size_t *jump; /* a segment nearer to the root, so that paths of n steps take O(log n) jumps */
};

/* Requires tasks without a fault. Takes O(n log n). Free with joins_fini(). */
struct joins joins_of(const struct tasks *tasks);
void joins_fini(struct joins *joins);

/* The first segment, or the root, that is on all paths from both. */
size_t joins_common(const struct joins *joins, size_t a, size_t b);

#endif
