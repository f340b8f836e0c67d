/* SPDX-License-Identifier: MIT */
#include "region_spread.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

/* By name, then in the order of regions. */
static int by_tag(const void *a, const void *b)
{
	const struct region *left = *(const struct region *const *)a, *right = *(const struct region *const *)b;
	int names = left->tag != right->tag ? strcmp(left->tag, right->tag) : 0;
	return names != 0 ? names : (left > right) - (left < right);
}

static const struct region **sorted_by_tag(const struct regions *regions)
{
	const struct region **sorted = memory_zeroed(regions->len, sizeof(struct region *));
	for (size_t i = 0; i < regions->len; i++)
		sorted[i] = &regions->regions[i];
	if (regions->len > 0)
		qsort(sorted, regions->len, sizeof(struct region *), by_tag);
	return sorted;
}

/* `values` has room for all regions. */
static struct region_spread spread_of(const struct region *const *regions, size_t len, double *values)
{
	struct region_spread spread = {.ended = 0};
	for (size_t i = 0; i < len; i++)
		if (regions[i]->end != TASKS_NONE)
			values[spread.ended++] = (double)regions[i]->time_ns;
	if (spread.ended > 0)
		spread.time_ns = statistics_spread(values, spread.ended);
	for (size_t i = 0; i < len; i++)
		if (regions[i]->end != TASKS_NONE && regions[i]->work > 0)
			values[spread.worked++] = regions[i]->speed;
	if (spread.worked > 0)
		spread.speed = statistics_spread(values, spread.worked);
	return spread;
}

static int compare_tag_names(const void *a, const void *b)
{
	const struct region_tag *left = *(const struct region_tag *const *)a;
	const struct region_tag *right = *(const struct region_tag *const *)b;
	return strcmp(left->tag, right->tag);
}

static const struct region_tag **tags_by_name(const struct regions *regions)
{
	const struct region_tag **tags = memory_zeroed(regions->tag_count, sizeof(struct region_tag *));
	for (size_t i = 0; i < regions->tag_count; i++)
		tags[i] = &regions->tags[i];
	if (regions->tag_count > 0)
		qsort(tags, regions->tag_count, sizeof(struct region_tag *), compare_tag_names);
	return tags;
}

struct region_spread *region_spreads(const struct regions *regions)
{
	struct region_spread *spreads = memory_zeroed(regions->tag_count, sizeof *spreads);
	const struct region **sorted = sorted_by_tag(regions);
	const struct region_tag **tags = tags_by_name(regions);
	double *values = memory_zeroed(regions->len, sizeof *values);
	for (size_t i = 0, from = 0; i < regions->tag_count; from += tags[i++]->count)
		spreads[tags[i] - regions->tags] = spread_of(sorted + from, tags[i]->count, values);
	free(values);
	free(tags);
	free(sorted);
	return spreads;
}
