/* SPDX-License-Identifier: MIT
 * Sorts the tracebacks of transactions by their frames, from the begin of the transaction outwards. Rows that share
 * frames are neighbours then. */
#include "callers.h"

#include <stdlib.h>

#include "check.h"
#include "memory.h"
#include "recorded_account.h"
#include "report_memory.h"

/* More frames of a traceback are not looked at: a file may have any number. */
enum { FRAMES_MAX = 64 };

/* One path: the places from the begin of the transaction outwards, and its figures. */
struct source {
	uint32_t places[FRAMES_MAX];
	size_t len;
	double commits, aborts;
	uint64_t measured;
};

struct builder {
	const struct recording *recording;
	struct places *places;
	bool *is_begin; /* by place */
	struct source *sources;
	size_t len;
	struct callers callers;
};

/* ---- sources ---- */

/* The traceback of an abort begins with the frames of the access. */
static size_t begin_of(const struct builder *builder, const struct recording_traceback *traceback)
{
	for (size_t i = 0; i < traceback->len; i++)
		if (builder->is_begin[places_site(builder->places, traceback->sites[i])])
			return i;
	return 0;
}

static void add_path(struct builder *builder, const struct stmlog_path_record *path)
{
	struct recording_traceback traceback = recording_traceback(builder->recording, path->traceback);
	struct source *source = &builder->sources[builder->len++];
	*source = (struct source){
		.commits = path->estimated_commits, .aborts = path->estimated_aborts, .measured = path->commits};
	for (size_t i = begin_of(builder, &traceback); i < traceback.len && source->len < FRAMES_MAX; i++)
		source->places[source->len++] = places_site(builder->places, traceback.sites[i]);
}

static void add_transaction(struct builder *builder, const struct stmlog_transaction_record *record)
{
	struct source *source = &builder->sources[builder->len++];
	*source = (struct source){.commits = (double)record->commits,
		.aborts = (double)record->attempts - (double)record->commits,
		.measured = record->commits};
	if (record->site != STMLOG_NO_SITE)
		source->places[source->len++] = places_site(builder->places, record->site);
}

static void add_sources(struct builder *builder)
{
	const struct recording *recording = builder->recording;
	size_t count = recording->path_count != 0 ? recording->path_count : recording->transaction_count;
	builder->sources = memory_zeroed(count, sizeof *builder->sources);
	for (size_t i = 0; i < recording->path_count; i++)
		add_path(builder, &recording->paths[i]);
	for (size_t i = 0; i < recording->transaction_count && recording->path_count == 0; i++)
		if (recording->transactions[i].commits != 0)
			add_transaction(builder, &recording->transactions[i]);
}

static void sum_up(struct builder *builder)
{
	for (size_t i = 0; i < builder->len; i++) {
		builder->callers.commits += builder->sources[i].commits;
		builder->callers.aborts += builder->sources[i].aborts;
	}
}

static double factor(uint64_t exact, double estimated)
{
	return estimated > 0 ? (double)exact / estimated : 1;
}

/* The sums are known exactly, so that the sources are only shares of them. */
static void scale(struct builder *builder)
{
	struct recorded_account total = account_total(builder->recording);
	double commits = builder->callers.commits, aborts = builder->callers.aborts;
	for (size_t i = 0; i < builder->len; i++) {
		builder->sources[i].commits *= factor(total.commits, commits);
		builder->sources[i].aborts *= factor(total.aborts, aborts);
	}
	builder->callers.commits = (double)total.commits;
	builder->callers.aborts = (double)total.aborts;
}

static int order(uint64_t left, uint64_t right)
{
	return left < right ? -1 : left > right;
}

static int by_places(const void *a, const void *b)
{
	const struct source *left = a, *right = b;
	for (size_t i = 0; i < left->len && i < right->len; i++)
		if (left->places[i] != right->places[i])
			return order(left->places[i], right->places[i]);
	return order(left->len, right->len);
}

/* ---- rows ---- */

/* Sources of one row: they share their places up to `depth`. */
struct range {
	const struct source *from, *to;
	size_t depth;
};

static uint32_t place_at(const struct source *source, size_t depth)
{
	return depth < source->len ? source->places[depth] : PLACE_UNKNOWN;
}

/* The first sources of the range that have the same place at its depth. */
static struct range first_part(const struct range *range)
{
	struct range part = {range->from, range->from, range->depth};
	uint32_t place = place_at(range->from, range->depth);
	while (part.to != range->to && place_at(part.to, range->depth) == place)
		part.to++;
	return part;
}

/* Moves the range outwards to where its sources differ. Returns false if they are all the same. */
static bool go_out(struct range *range)
{
	for (range->depth++; range->depth < FRAMES_MAX; range->depth++)
		if (place_at(range->from, range->depth) != place_at(range->to - 1, range->depth))
			return true;
	return false;
}

static struct callers_row row_of(const struct range *part, unsigned level)
{
	struct callers_row row = {.place = place_at(part->from, part->depth), .level = level};
	for (const struct source *source = part->from; source != part->to; source++) {
		row.commits += source->commits;
		row.aborts += source->aborts;
		row.measured += source->measured;
	}
	return row;
}

static int by_attempts(const void *a, const void *b)
{
	const struct range *left = a, *right = b;
	struct callers_row first = row_of(left, 0), second = row_of(right, 0);
	double more = second.commits + second.aborts - first.commits - first.aborts;
	return more > 0 ? 1 : more < 0 ? -1 : order(first.place, second.place);
}

static void add_parts(struct builder *builder, struct range range, unsigned level)
{
	struct range *parts = memory_zeroed((size_t)(range.to - range.from), sizeof *parts);
	size_t len = 0;
	for (; range.from != range.to; range.from = parts[len++].to)
		parts[len] = first_part(&range);
	qsort(parts, len, sizeof *parts, by_attempts);
	struct callers *callers = &builder->callers;
	for (size_t i = 0; i < len; i++) {
		callers->rows = memory_grown(callers->rows, callers->len, &callers->cap, sizeof *callers->rows);
		callers->rows[callers->len++] = row_of(&parts[i], level);
		if (go_out(&parts[i]))
			add_parts(builder, parts[i], level + 1);
	}
	free(parts);
}

struct callers callers_make(const struct recording *recording, struct places *places)
{
	struct builder builder = {.recording = recording, .places = places, .is_begin = places_begins(places)};
	builder.callers.is_exact = !recording_is_sampled(recording);
	builder.callers.has_callers = recording->path_count != 0;
	add_sources(&builder);
	sum_up(&builder);
	if (builder.callers.has_callers)
		scale(&builder);
	qsort(builder.sources, builder.len, sizeof *builder.sources, by_places);
	struct range all = {builder.sources, builder.sources + builder.len, 0};
	if (builder.len != 0)
		add_parts(&builder, all, 0);
	free(builder.sources);
	memory_free(builder.is_begin);
	return builder.callers;
}

void callers_fini(struct callers *callers)
{
	free(callers->rows);
	*callers = (struct callers){.rows = NULL};
}

size_t callers_next(const struct callers *callers, size_t row)
{
	REQUIRES(row < callers->len);
	size_t next = row + 1;
	while (next < callers->len && callers->rows[next].level > callers->rows[row].level)
		next++;
	return next;
}
