/* SPDX-License-Identifier: MIT
 * Regions are a forest. Times are added up from the leaves. In the sums of a tag, a region counts only if no region
 * above it has the same tag. */
#include "region_sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

static double speed_of(uint64_t work, uint64_t time_ns)
{
	if (work == 0)
		return 0;
	return time_ns != 0 ? (double)work / ((double)time_ns / 1e9) : INFINITY;
}

static void add_up(struct regions *regions, const size_t *begun)
{
	for (size_t i = regions->len; i-- > 0;) {
		struct region *region = &regions->regions[begun[i]];
		region->time_ns = region_sum(region->time_ns, region->own_ns);
		region->speed = speed_of(region->work, region->time_ns);
		if (region->parent != TASKS_NONE) {
			struct region *parent = &regions->regions[region->parent];
			parent->time_ns = region_sum(parent->time_ns, region->time_ns);
		}
	}
}

/* ---- tags ---- */

struct named {
	const char *tag;
	size_t region;
};

/* Equal names are mostly the same string, so that strcmp() is rarely needed. */
static int compare_names(const void *a, const void *b)
{
	const struct named *left = a, *right = b;
	int names = left->tag != right->tag ? strcmp(left->tag, right->tag) : 0;
	if (names != 0)
		return names;
	return left->region < right->region ? -1 : left->region > right->region;
}

static bool is_last_tag(const struct regions *regions, const char *name)
{
	if (regions->tag_count == 0)
		return false;
	const char *last = regions->tags[regions->tag_count - 1].tag;
	return last == name || strcmp(last, name) == 0;
}

static struct region_tag *add_tag(struct regions *regions, const char *name)
{
	if (!is_last_tag(regions, name))
		regions->tags[regions->tag_count++] = (struct region_tag){.tag = name};
	return &regions->tags[regions->tag_count - 1];
}

/* Returns the tag of each region. */
static size_t *take_tags(struct regions *regions)
{
	struct named *named = memory_zeroed(regions->len, sizeof *named);
	size_t *tag_of = memory_zeroed(regions->len, sizeof *tag_of);
	regions->tags = memory_zeroed(regions->len, sizeof *regions->tags);
	for (size_t i = 0; i < regions->len; i++)
		named[i] = (struct named){regions->regions[i].tag, i};
	qsort(named, regions->len, sizeof *named, compare_names);
	for (size_t i = 0; i < regions->len; i++) {
		struct region_tag *tag = add_tag(regions, named[i].tag);
		tag->count++;
		tag->exclusive_ns = region_sum(tag->exclusive_ns, regions->regions[named[i].region].own_ns);
		tag_of[named[i].region] = (size_t)(tag - regions->tags);
	}
	free(named);
	return tag_of;
}

/* ---- the forest, walked from its roots ---- */

struct forest {
	struct regions *regions;
	const size_t *tag_of;
	size_t *first, *next; /* child, sibling */
	size_t *within;       /* by tag: how many of its regions the walk is in */
};

static void enter(struct forest *forest, size_t at)
{
	const struct region *region = &forest->regions->regions[at];
	struct region_tag *tag = &forest->regions->tags[forest->tag_of[at]];
	if (forest->within[forest->tag_of[at]]++ > 0)
		return;
	tag->work = region_sum(tag->work, region->work);
	tag->inclusive_ns = region_sum(tag->inclusive_ns, region->time_ns);
}

/* Leaves regions up to one that has a sibling. Returns the sibling; TASKS_NONE at the end. */
static size_t leave(struct forest *forest, size_t at)
{
	while (at != TASKS_NONE) {
		forest->within[forest->tag_of[at]]--;
		if (forest->next[at] != TASKS_NONE)
			return forest->next[at];
		at = forest->regions->regions[at].parent;
	}
	return TASKS_NONE;
}

static void walk(struct forest *forest, size_t root)
{
	size_t at = root;
	while (at != TASKS_NONE) {
		enter(forest, at);
		at = forest->first[at] != TASKS_NONE ? forest->first[at] : leave(forest, at);
	}
}

static void sum_tags(struct regions *regions, const size_t *tag_of)
{
	size_t len = regions->len;
	struct forest forest = {regions, tag_of, memory_zeroed(len, sizeof(size_t)), memory_zeroed(len, sizeof(size_t)),
		memory_zeroed(len, sizeof(size_t))};
	for (size_t i = 0; i < len; i++)
		forest.first[i] = forest.next[i] = TASKS_NONE;
	for (size_t i = 0; i < len; i++) {
		size_t parent = regions->regions[i].parent;
		if (parent == TASKS_NONE)
			continue;
		forest.next[i] = forest.first[parent];
		forest.first[parent] = i;
	}
	for (size_t i = 0; i < len; i++)
		if (regions->regions[i].parent == TASKS_NONE)
			walk(&forest, i);
	free(forest.first);
	free(forest.next);
	free(forest.within);
}

/* ---- speeds ---- */

static double relative_to(double speed, double fastest)
{
	if (isinf(speed))
		return 1;
	return fastest > 0 ? speed / fastest : 0;
}

static void compare_speeds(struct regions *regions, const size_t *tag_of)
{
	double *fastest = memory_zeroed(regions->tag_count, sizeof *fastest);
	for (size_t i = 0; i < regions->len; i++) {
		double speed = regions->regions[i].speed;
		if (!isinf(speed) && speed > fastest[tag_of[i]])
			fastest[tag_of[i]] = speed;
	}
	for (size_t i = 0; i < regions->len; i++)
		regions->regions[i].relative = relative_to(regions->regions[i].speed, fastest[tag_of[i]]);
	for (size_t i = 0; i < regions->tag_count; i++)
		regions->tags[i].speed = speed_of(regions->tags[i].work, regions->tags[i].inclusive_ns);
	free(fastest);
}

static int longest_first(const void *a, const void *b)
{
	const struct region_tag *left = a, *right = b;
	if (left->inclusive_ns != right->inclusive_ns)
		return left->inclusive_ns > right->inclusive_ns ? -1 : 1;
	return strcmp(left->tag, right->tag);
}

void region_sums_fill(struct regions *regions, const size_t *begun)
{
	add_up(regions, begun);
	size_t *tag_of = take_tags(regions);
	sum_tags(regions, tag_of);
	compare_speeds(regions, tag_of);
	free(tag_of);
	qsort(regions->tags, regions->tag_count, sizeof *regions->tags, longest_first);
}
