/* SPDX-License-Identifier: MIT
 * Meetings of paths in made-up graphs, against a model that walks over all that can be reached. */
#include "joins.h"

#include <stdlib.h>

#include "random.h"
#include "test.h"

enum { LEN = 30, EDGES = 4 };

static struct segment segments[LEN];
static size_t children[LEN][EDGES];

/* Edges go from lower to higher numbers. */
static struct tasks any_graph(struct random *random)
{
	for (size_t i = 0; i < LEN; i++) {
		segments[i] = (struct segment){.children = children[i]};
		for (size_t k = random_below(random, EDGES + 1); k > 0 && i + 1 < LEN; k--)
			children[i][segments[i].child_count++] =
				i + 1 + random_below(random, LEN - (uint32_t)i - 1 < 6 ? LEN - (uint32_t)i - 1 : 6);
	}
	return (struct tasks){.segments = segments, .segment_count = LEN};
}

/* Whether a path leads from one to the end that does not pass `without`. */
static bool ends_without(size_t from, size_t without)
{
	bool reached[LEN] = {false};
	reached[from] = true;
	for (size_t i = from; i < LEN; i++) {
		if (!reached[i] || i == without)
			continue;
		if (segments[i].child_count == 0)
			return true;
		for (size_t k = 0; k < segments[i].child_count; k++)
			reached[children[i][k]] = true;
	}
	return false;
}

static size_t model(size_t from)
{
	size_t at = from + 1;
	while (at < LEN && ends_without(from, at))
		at++;
	return at;
}

TEST(paths_meet_at_the_first_segment_that_none_avoids)
{
	struct random random = {3};
	for (size_t round = 0; round < 300; round++) {
		struct tasks tasks = any_graph(&random);
		struct joins joins = joins_of(&tasks);
		for (size_t i = 0; i < LEN; i++)
			assert_int_equal(joins.meets[i], model(i));
		joins_fini(&joins);
	}
}

TEST(ranks_take_each_subtree_as_a_whole)
{
	struct random random = {4};
	struct tasks tasks = any_graph(&random);
	struct joins joins = joins_of(&tasks);
	size_t subtree[LEN + 1] = {0};
	for (size_t i = 0; i < LEN; i++)
		for (size_t at = i; at != joins.root; at = joins.meets[at])
			subtree[at]++;
	for (size_t i = 0; i < LEN; i++)
		for (size_t k = 0; k < LEN; k++)
			assert_true((joins_common(&joins, i, k) == i) ==
				    (joins.rank[k] >= joins.rank[i] && joins.rank[k] < joins.rank[i] + subtree[i]));
	joins_fini(&joins);
}

TEST(without_segments_there_is_the_root_alone)
{
	struct tasks tasks = {.segment_count = 0};
	struct joins joins = joins_of(&tasks);
	assert_int_equal(joins.root, 0);
	assert_int_equal(joins_common(&joins, 0, 0), 0);
	joins_fini(&joins);
}
