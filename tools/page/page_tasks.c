/* SPDX-License-Identifier: MIT
 * The tasks for the page: their picture, and for the replay when each segment ran, with the boxes of both forms that
 * stand for it. */
#include <stdlib.h>

#include "bars.h"
#include "columns.h"
#include "memory.h"
#include "page.h"
#include "picture.h"

/* Of more segments the page has the longest ones, and the boxes of all. */
enum { SEGMENTS_MAX = 60000 };

enum segment_column { SEGMENT_FROM, SEGMENT_TIME, SEGMENT_GRAPH, SEGMENT_CREATIONS, SEGMENT_COLUMNS };
static const char *const segment_names[SEGMENT_COLUMNS] = {
	[SEGMENT_FROM] = "from",
	[SEGMENT_TIME] = "time",
	[SEGMENT_GRAPH] = "graph",         /* its box in the graph */
	[SEGMENT_CREATIONS] = "creations", /* the box of its task in the tree of creations */
};

struct length {
	uint64_t time_ns;
	size_t segment;
};

static int compare_lengths(const void *a, const void *b)
{
	const struct length *left = a, *right = b;
	if (left->time_ns != right->time_ns)
		return left->time_ns < right->time_ns ? -1 : 1;
	return left->segment < right->segment ? -1 : left->segment > right->segment;
}

/* Shortest first, since columns have the last rows. */
static struct length *list_lengths(const struct work *work)
{
	struct length *lengths = memory_zeroed(work->segment_count, sizeof *lengths);
	for (size_t i = 0; i < work->segment_count; i++)
		lengths[i] = (struct length){work->segments[i].until_ns - work->segments[i].from_ns, i};
	qsort(lengths, work->segment_count, sizeof *lengths, compare_lengths);
	return lengths;
}

void page_tasks(const struct report *report, const struct picture *picture)
{
	const struct work *work = picture->work;
	struct column columns[SEGMENT_COLUMNS] = {{0}};
	struct length *lengths = list_lengths(work);
	struct bar_lanes lanes = bar_lanes_of(report->recording);
	uint64_t origin_ns = page_origin_ns(report->recording);
	for (size_t i = 0; i < work->segment_count; i++) {
		const struct segment *segment = &work->segments[lengths[i].segment];
		uint64_t row[SEGMENT_COLUMNS] = {[SEGMENT_FROM] = segment->from_ns - origin_ns,
			[SEGMENT_TIME] = lengths[i].time_ns,
			[SEGMENT_GRAPH] = picture->graph.of[lengths[i].segment],
			[SEGMENT_CREATIONS] = picture->creations.of[segment->task]};
		columns_add_row(columns, SEGMENT_COLUMNS, row);
	}
	printer_format(report->out, "{\"threads\": %zu", lanes.len);
	columns_write(report, "segments", columns, segment_names, SEGMENT_COLUMNS, SEGMENTS_MAX);
	printer_text(report->out, "}");
	columns_fini(columns, SEGMENT_COLUMNS);
	bar_lanes_fini(&lanes);
	free(lengths);
}
