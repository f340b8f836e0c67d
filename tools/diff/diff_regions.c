/* SPDX-License-Identifier: MIT
 * Work may differ from run to run, and so may the number of regions. So a tag is judged by a figure that depends on
 * neither: its speed; or the time of each region, if not every run says how much work there was. The time of each
 * region is that of the outermost ones, because how deep a recursion goes is up to the new version. */
#include "diff.h"

#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "memory.h"
#include "work.h"

/* ---- runs ---- */

static struct diff_region *add_region(struct diff *diff, const char *tag)
{
	struct diff_region *region = memory_zeroed(1, sizeof *region);
	region->tag = tag;
	for (int side = 0; side < 2; side++)
		region->sums[side] = memory_zeroed(diff->runs_max[side], sizeof *region->sums[side]);
	diff->regions =
		memory_reserved(diff->regions, diff->regions_len + 1, &diff->regions_cap, sizeof *diff->regions);
	return diff->regions[diff->regions_len++] = region;
}

/* The regions are in the order of the dictionary's numbers. */
static struct diff_region *find_region(struct diff *diff, const char *tag)
{
	const struct dictionary_entry *entry = dictionary_find(&diff->tags, tag);
	return entry->is_new ? add_region(diff, entry->text) : diff->regions[entry->number - 1];
}

static void add_tags(struct diff *diff, int side, size_t run, const struct work *work)
{
	for (size_t i = 0; i < work->tag_count; i++) {
		const struct region_tag *tag = &work->tags[i];
		find_region(diff, tag->tag)->sums[side][run] =
			(struct diff_region_sum){(double)tag->outermost, (double)tag->work, (double)tag->inclusive_ns};
	}
}

void diff_regions_add(struct diff *diff, int side, size_t run, const struct recording *recording, const char *path)
{
	struct work work;
	if (!work_is_told(recording))
		return;
	if (work_build(&work, recording))
		add_tags(diff, side, run, &work);
	else
		diag(path, "its regions are left out: %s", work_fault(&work, recording).text);
	work_fini(&work);
}

void diff_regions_fini(struct diff *diff)
{
	for (size_t i = 0; i < diff->regions_len; i++) {
		struct diff_region *region = diff->regions[i];
		for (int side = 0; side < 2; side++) {
			free(region->sums[side]);
			free(region->judged.values[side]);
			free(region->work.values[side]);
			free(region->time.values[side]);
		}
		free(region);
	}
	free(diff->regions);
	dictionary_fini(&diff->tags);
}

/* ---- values ---- */

/* How many runs of both sides have regions of this tag, and in how many of these work was done. */
struct presence {
	size_t runs, with_tag, with_work;
};

static struct presence presence_of(const struct diff *diff, const struct diff_region *region)
{
	struct presence presence = {.runs = 0};
	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i < diff->sides[side].len; i++) {
			presence.runs++;
			presence.with_tag += region->sums[side][i].outermost > 0;
			presence.with_work += region->sums[side][i].work > 0;
		}
	}
	return presence;
}

static enum diff_comparable comparable_of(const struct presence *presence)
{
	if (presence->with_tag < presence->runs)
		return DIFF_COMPARABLE_NOT_IN_ALL;
	bool is_alike = presence->with_work == 0 || presence->with_work == presence->runs;
	return is_alike ? DIFF_COMPARABLE : DIFF_COMPARABLE_NOT_ALL_WORK;
}

/* A run without such a region has 0. Work in no time takes the least time that a clock can tell. */
static double region_value(enum diff_metric metric, const struct diff_region_sum *sum)
{
	double time_ns = sum->time_ns > 0 ? sum->time_ns : 1;
	switch (metric) {
	case DIFF_SPEED:
		return sum->work / (time_ns / 1e9);
	case DIFF_WORK:
		return sum->work;
	case DIFF_EACH:
		return sum->outermost > 0 ? time_ns / sum->outermost : 0;
	default:
		return sum->time_ns;
	}
}

static struct diff_row region_row(const struct diff *diff, const struct diff_region *region, enum diff_metric metric)
{
	struct diff_row row = {.metric = metric, .verdict = DIFF_UNCLEAR};
	for (int side = 0; side < 2; side++) {
		row.values[side] = memory_zeroed(diff->sides[side].len, sizeof(double));
		for (size_t i = 0; i < diff->sides[side].len; i++)
			row.values[side][i] = region_value(metric, &region->sums[side][i]);
	}
	diff_row_fill(diff, &row);
	return row;
}

void diff_regions_make(struct diff *diff)
{
	for (size_t i = 0; i < diff->regions_len; i++) {
		struct diff_region *region = diff->regions[i];
		struct presence presence = presence_of(diff, region);
		region->comparable = comparable_of(&presence);
		bool has_speed = presence.with_work > 0 && presence.with_work == presence.with_tag;
		region->judged = region_row(diff, region, has_speed ? DIFF_SPEED : DIFF_EACH);
		region->work = region_row(diff, region, DIFF_WORK);
		region->time = region_row(diff, region, DIFF_TIME);
	}
}

/* ---- order ---- */

static int compare_regions(const void *a, const void *b)
{
	const struct diff_region *left = *(struct diff_region *const *)a, *right = *(struct diff_region *const *)b;
	bool left_worse = left->judged.verdict == DIFF_WORSE, right_worse = right->judged.verdict == DIFF_WORSE;
	double left_ns = left->mean_ns, right_ns = right->mean_ns;
	if (left_worse != right_worse)
		return left_worse ? -1 : 1;
	if (left_ns < right_ns || left_ns > right_ns)
		return left_ns > right_ns ? -1 : 1;
	return strcmp(left->tag, right->tag);
}

void diff_regions_sort(struct diff *diff)
{
	if (diff->regions_len > 0)
		qsort(diff->regions, diff->regions_len, sizeof(struct diff_region *), compare_regions);
}
