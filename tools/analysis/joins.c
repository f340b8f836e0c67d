/* SPDX-License-Identifier: MIT */
#include "joins.h"

#include <stdlib.h>

#include "check.h"
#include "memory.h"

/* ---- common segments ---- */

/* The segment at this depth on the way from `at` to the root. */
static size_t at_depth(const struct joins *joins, size_t at, size_t depth)
{
	while (joins->depth[at] > depth)
		at = joins->depth[joins->jump[at]] >= depth ? joins->jump[at] : joins->meets[at];
	return at;
}

/* At equal depths jumps are equally long. */
size_t joins_common(const struct joins *joins, size_t a, size_t b)
{
	size_t depth = joins->depth[a] < joins->depth[b] ? joins->depth[a] : joins->depth[b];
	a = at_depth(joins, a, depth);
	b = at_depth(joins, b, depth);
	while (a != b) {
		bool is_far = joins->jump[a] != joins->jump[b];
		a = is_far ? joins->jump[a] : joins->meets[a];
		b = is_far ? joins->jump[b] : joins->meets[b];
	}
	return a;
}

/* ---- the tree, from its root on ---- */

static size_t meeting_of(const struct joins *joins, const struct segment *segment)
{
	size_t common = segment->child_count > 0 ? segment->children[0] : joins->root;
	for (size_t k = 1; k < segment->child_count; k++)
		common = joins_common(joins, common, segment->children[k]);
	return common;
}

/* Two jumps of one length from the parent on become one jump that is longer by one. */
static size_t jump_of(const struct joins *joins, size_t parent)
{
	size_t first = joins->jump[parent], second = joins->jump[first];
	size_t first_length = joins->depth[parent] - joins->depth[first];
	return first_length == joins->depth[first] - joins->depth[second] ? second : parent;
}

static void add(struct joins *joins, const struct tasks *tasks, size_t segment)
{
	size_t parent = meeting_of(joins, &tasks->segments[segment]);
	joins->meets[segment] = parent;
	joins->depth[segment] = joins->depth[parent] + 1;
	joins->jump[segment] = jump_of(joins, parent);
}

/* `order` has each segment before the one where its paths meet. Subtrees get their ranks from the last one on, so that
 * they are in this order, too. */
static void rank_all(struct joins *joins, const size_t *order)
{
	size_t *size = memory_zeroed(joins->root + 1, sizeof *size), *end = memory_zeroed(joins->root + 1, sizeof *end);
	for (size_t i = 0; i < joins->root; i++)
		size[joins->meets[order[i]]] += ++size[order[i]];
	end[joins->root] = joins->root + 1;
	for (size_t i = joins->root; i-- > 0;) {
		size_t segment = order[i], parent = joins->meets[segment];
		end[segment] = end[parent];
		end[parent] -= size[segment];
		joins->rank[segment] = end[parent];
	}
	free(size);
	free(end);
}

struct joins joins_of(const struct tasks *tasks)
{
	size_t len = tasks->segment_count + 1;
	REQUIRES(tasks->fault == NULL);
	struct joins joins = {tasks->segment_count, memory_zeroed(len, sizeof(size_t)),
		memory_zeroed(len, sizeof(size_t)), memory_zeroed(len, sizeof(size_t)),
		memory_zeroed(len, sizeof(size_t))};
	size_t *order = tasks_in_order(tasks);
	joins.meets[joins.root] = joins.jump[joins.root] = joins.root;
	for (size_t i = joins.root; i-- > 0;)
		add(&joins, tasks, order[i]);
	rank_all(&joins, order);
	free(order);
	return joins;
}

void joins_fini(struct joins *joins)
{
	free(joins->meets);
	free(joins->rank);
	free(joins->depth);
	free(joins->jump);
	*joins = (struct joins){.root = 0};
}
