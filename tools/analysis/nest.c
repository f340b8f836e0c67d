/* SPDX-License-Identifier: MIT
 * Follows each segment to the one where its paths meet again. Behind a fork its children are starts of such ways. Where
 * ways from several starts meet before they meet the others, these are a parallel part within the parallel part. */
#include "nest.h"

#include <stdlib.h>

#include "check.h"
#include "joins.h"
#include "memory.h"

/* ---- the tree of parts ---- */

/* Returns the number of the part, the last one of its parent. */
static size_t add(struct nest *nest, size_t parent, enum nest_kind kind, size_t leaf)
{
	nest->parts = memory_grown(nest->parts, nest->len, &nest->cap, sizeof *nest->parts);
	size_t number = nest->len++;
	nest->parts[number] = (struct nest_part){kind, leaf, parent, TASKS_NONE, TASKS_NONE, TASKS_NONE};
	if (parent == TASKS_NONE)
		return number;
	struct nest_part *above = &nest->parts[parent];
	*(above->first == TASKS_NONE ? &above->first : &nest->parts[above->last].next) = number;
	above->last = number;
	return number;
}

size_t nest_next(const struct nest *nest, size_t top, size_t at)
{
	if (nest->parts[at].first != TASKS_NONE)
		return nest->parts[at].first;
	while (at != top && nest->parts[at].next == TASKS_NONE)
		at = nest->parts[at].parent;
	return at != top ? nest->parts[at].next : TASKS_NONE;
}

void nest_fini(struct nest *nest)
{
	free(nest->parts);
	*nest = (struct nest){.len = 0};
}

/* ---- the graph ---- */

/* The segments from `from` on, up to the one before `until`, become parts of the series. */
struct way {
	size_t series;
	size_t from, until;
};

struct builder {
	struct nest nest;
	const struct tasks *tasks;
	struct joins joins;
	bool *is_placed; /* by segment */
	struct way *ways;
	size_t way_count, way_cap;
};

/* A start, or a segment where ways from several starts meet. */
struct meeting {
	size_t at;
	size_t rank;
	size_t parallel; /* the part of the ways that meet here; TASKS_NONE: none yet */
};

static int compare_meetings(const void *a, const void *b)
{
	const struct meeting *left = a, *right = b;
	return left->rank < right->rank ? -1 : left->rank > right->rank;
}

static struct meeting meeting_at(const struct builder *builder, size_t at)
{
	return (struct meeting){at, builder->joins.rank[at], TASKS_NONE};
}

static size_t sort_meetings(struct meeting *meetings, size_t len)
{
	size_t kept = 0;
	qsort(meetings, len, sizeof *meetings, compare_meetings);
	for (size_t i = 0; i < len; i++)
		if (kept == 0 || meetings[kept - 1].at != meetings[i].at)
			meetings[kept++] = meetings[i];
	return kept;
}

/* All meetings of the ways from these starts, by rank: so the first is where all of them meet. Returns their number. */
static size_t list_meetings(const struct builder *builder, const size_t *starts, size_t len, struct meeting *meetings)
{
	for (size_t i = 0; i < len; i++)
		meetings[i] = meeting_at(builder, starts[i]);
	size_t count = sort_meetings(meetings, len);
	for (size_t i = count; i-- > 1;)
		meetings[count + i - 1] =
			meeting_at(builder, joins_common(&builder->joins, meetings[i - 1].at, meetings[i].at));
	return sort_meetings(meetings, 2 * count - 1);
}

static size_t parallel_of(struct builder *builder, struct meeting *meeting, size_t series)
{
	if (meeting->parallel == TASKS_NONE)
		meeting->parallel = add(&builder->nest, series, NEST_PARALLEL, 0);
	return meeting->parallel;
}

static void add_way(struct builder *builder, struct way way)
{
	builder->ways = memory_grown(builder->ways, builder->way_count, &builder->way_cap, sizeof *builder->ways);
	builder->ways[builder->way_count++] = way;
}

static struct meeting *find_meeting(struct meeting *meetings, size_t len, size_t rank)
{
	const struct meeting wanted = {.rank = rank};
	return bsearch(&wanted, meetings, len, sizeof *meetings, compare_meetings);
}

/* Adds the ways from the starts to the series. Each way leads to the meeting that it has in common with the one before
 * it by rank. Where ways meet, they are the first part of the series that goes on from there. */
static void fork_ways(struct builder *builder, size_t series, const size_t *starts, size_t len)
{
	struct meeting *meetings = memory_zeroed(2 * len, sizeof *meetings);
	size_t count = list_meetings(builder, starts, len, meetings);
	size_t *series_of = memory_zeroed(count, sizeof *series_of);
	series_of[0] = series;
	for (size_t i = 1; i < count; i++) {
		size_t common = joins_common(&builder->joins, meetings[i - 1].at, meetings[i].at);
		struct meeting *next = find_meeting(meetings, count, builder->joins.rank[common]);
		size_t parallel = parallel_of(builder, next, series_of[next - meetings]);
		series_of[i] = add(&builder->nest, parallel, NEST_SERIES, 0);
		add_way(builder, (struct way){series_of[i], meetings[i].at, common});
	}
	free(series_of);
	free(meetings);
}

/* A segment that another way has placed already ends this one: the other goes on from there. */
static void follow(struct builder *builder, struct way way)
{
	for (size_t at = way.from; at != way.until && !builder->is_placed[at]; at = builder->joins.meets[at]) {
		const struct segment *segment = &builder->tasks->segments[at];
		builder->is_placed[at] = true;
		add(&builder->nest, way.series, NEST_LEAF, at);
		if (segment->child_count > 1)
			fork_ways(builder, way.series, segment->children, segment->child_count);
	}
}

/* The segments to which no edge leads. Returns their number. */
static size_t list_roots(const struct tasks *tasks, size_t *roots)
{
	size_t count = 0;
	bool *has_parent = memory_zeroed(tasks->segment_count, sizeof *has_parent);
	for (size_t i = 0; i < tasks->segment_count; i++)
		for (size_t k = 0; k < tasks->segments[i].child_count; k++)
			has_parent[tasks->segments[i].children[k]] = true;
	for (size_t i = 0; i < tasks->segment_count; i++)
		if (!has_parent[i])
			roots[count++] = i;
	free(has_parent);
	return count;
}

struct nest nest_of_graph(const struct tasks *tasks)
{
	REQUIRES(tasks->fault == NULL);
	size_t *roots = memory_zeroed(tasks->segment_count, sizeof *roots);
	struct builder builder = {.tasks = tasks, .joins = joins_of(tasks)};
	size_t count = list_roots(tasks, roots), whole = add(&builder.nest, TASKS_NONE, NEST_SERIES, 0);
	builder.is_placed = memory_zeroed(tasks->segment_count, sizeof *builder.is_placed);
	if (count == 1)
		add_way(&builder, (struct way){whole, roots[0], builder.joins.root});
	else if (count > 1)
		fork_ways(&builder, whole, roots, count);
	while (builder.way_count > 0)
		follow(&builder, builder.ways[--builder.way_count]);
	joins_fini(&builder.joins);
	free(builder.is_placed);
	free(builder.ways);
	free(roots);
	return builder.nest;
}

/* ---- creations ---- */

/* A task comes behind its parent, and so its series is there when it is needed. */
struct nest nest_of_creations(const struct tasks *tasks)
{
	struct nest nest = {.len = 0};
	REQUIRES(tasks->fault == NULL);
	size_t *side_by_side = memory_zeroed(tasks->len, sizeof *side_by_side);
	size_t whole = add(&nest, TASKS_NONE, NEST_SERIES, 0), roots = add(&nest, whole, NEST_PARALLEL, 0);
	for (size_t i = 0; i < tasks->len; i++) {
		size_t parent = tasks->tasks[i].parent;
		size_t series = add(&nest, parent != TASKS_NONE ? side_by_side[parent] : roots, NEST_SERIES, 0);
		add(&nest, series, NEST_LEAF, i);
		side_by_side[i] = add(&nest, series, NEST_PARALLEL, 0);
	}
	free(side_by_side);
	return nest;
}
