/* SPDX-License-Identifier: MIT
 * A graph of tasks as a nest, which is a tree of parts. The leaves are segments, or tasks. A *series* has parts that
 * follow each other. A *parallel* part has series as parts, of which none waits for another.
 *
 * Each fork-join graph is such a nest. Of any other graph, as programs make that touch futures anywhere, the nest has
 * each segment once, and lacks some edges.
 */
#ifndef NEST_H
#define NEST_H

#include <stddef.h>
#include <stdint.h>

#include "tasks.h"

enum nest_kind { NEST_LEAF, NEST_SERIES, NEST_PARALLEL };

struct nest_part {
	enum nest_kind kind;
	size_t leaf;                      /* of a leaf: the segment or task */
	size_t parent, first, last, next; /* parts; TASKS_NONE: none */
};

/* Invariants: parts[0] is a series, the whole; each part is behind its parent. */
struct nest {
	struct nest_part *parts;
	size_t len, cap;
};

/* Of the segments: the graph, its roots side by side. Takes O(n log n). Requires tasks without a fault. Free with
 * nest_fini(). */
struct nest nest_of_graph(const struct tasks *tasks);

/* Of the tasks: each is followed by the tasks that it has created, side by side. */
struct nest nest_of_creations(const struct tasks *tasks);

void nest_fini(struct nest *nest);

/* The part that follows `at` in a walk over all below `top` that takes parents first; TASKS_NONE: there is none. Begins
 * with `top` itself. */
size_t nest_next(const struct nest *nest, size_t top, size_t at);

#endif
