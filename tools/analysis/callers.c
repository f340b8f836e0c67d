/* SPDX-License-Identifier: MIT
 * Sorts the tracebacks of transactions by their frames, from the begin of the transaction outwards. Rows that share
 * frames are neighbours then. */
#include "callers.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "frame_ids.h"
#include "memory.h"
#include "recorded_account.h"
#include "sort.h"

/* More frames of a traceback are not looked at: a file may have any number. */
enum { FRAMES_MAX = 64 };

/* No frame, where a number of one is expected (frame_ids.h). */
#define NONE UINT32_MAX

/* One path: the frames from the begin of the transaction outwards, by their numbers, and its figures. */
struct source {
	uint32_t frames[FRAMES_MAX];
	size_t len;
	double commits, aborts;
	uint64_t measured;
};

struct builder {
	const struct recording *recording;
	struct frame_ids *ids;
	uint32_t *begins; /* the frames where transactions begin, each once */
	size_t begin_count, begin_cap;
	uint32_t *begin_sites; /* by traceback of a loss: where its transaction began; STMLOG_NO_SITE: not known */
	struct source *sources;
	size_t len;
	struct callers callers;
};

/* ---- where transactions begin ---- */

static uint32_t innermost_of(struct builder *builder, uint32_t site)
{
	return site < builder->recording->site_count ? frame_ids_site(builder->ids, site).at[0] : NONE;
}

static void note_begin(struct builder *builder, uint32_t site)
{
	uint32_t frame = innermost_of(builder, site);
	for (size_t i = 0; i < builder->begin_count; i++)
		if (builder->begins[i] == frame)
			return;
	if (frame == NONE)
		return;
	builder->begins =
		memory_grown(builder->begins, builder->begin_count, &builder->begin_cap, sizeof *builder->begins);
	builder->begins[builder->begin_count++] = frame;
}

/* Losses of one traceback are nearly always of one transaction. */
static void note_begins(struct builder *builder)
{
	const struct recording *recording = builder->recording;
	size_t count = recording->traceback_count + 2; /* the first two have no frames */
	builder->begin_sites = memory_zeroed(count, sizeof *builder->begin_sites);
	for (size_t i = 0; i < count; i++)
		builder->begin_sites[i] = STMLOG_NO_SITE;
	for (size_t i = 0; i < recording->entry_count; i++) {
		note_begin(builder, recording->entries[i].site);
		builder->begin_sites[recording->entries[i].local] = recording->entries[i].site;
	}
	for (size_t i = 0; i < recording->transaction_count; i++)
		note_begin(builder, recording->transactions[i].site);
	for (size_t i = 0; i < recording->blocked_count; i++)
		note_begin(builder, recording->blocked[i].site);
}

static bool is_same_function(const struct builder *builder, uint32_t left_number, uint32_t right_number)
{
	const struct symbol_frame *left = frame_ids_frame(builder->ids, left_number);
	const struct symbol_frame *right = frame_ids_frame(builder->ids, right_number);
	return left->function != NULL && symbol_same_names(left->function, right->function) &&
	       symbol_same_names(left->file, right->file);
}

/* Whether the frame is in the function of the begin, and this begin is nearer before its line than `best`. */
static bool is_better(const struct builder *builder, uint32_t frame, uint32_t begin, uint32_t best)
{
	uint32_t line = frame_ids_frame(builder->ids, frame)->line;
	uint32_t begin_line = frame_ids_frame(builder->ids, begin)->line;
	uint32_t best_line = best != NONE ? frame_ids_frame(builder->ids, best)->line : 0;
	if (!is_same_function(builder, begin, frame))
		return false;
	return best == NONE || (begin_line <= line && (best_line > line || begin_line > best_line));
}

/* The begin in the frame's function, if it has any: of several, the last one before the frame's line. */
static uint32_t begin_in_function_of(const struct builder *builder, uint32_t frame)
{
	uint32_t best = NONE;
	for (size_t i = 0; i < builder->begin_count; i++)
		if (is_better(builder, frame, builder->begins[i], best))
			best = builder->begins[i];
	return best;
}

static bool is_begin(const struct builder *builder, uint32_t frame)
{
	for (size_t i = 0; i < builder->begin_count; i++)
		if (builder->begins[i] == frame)
			return true;
	return false;
}

/* ---- sources ---- */

static void add_frame(struct source *source, uint32_t frame)
{
	if (source->len < FRAMES_MAX)
		source->frames[source->len++] = frame;
}

/* All frames of the traceback, with those of inlined functions; instead of an access in the function of the begin,
 * those of the begin. */
static void add_frames(struct builder *builder, struct source *source, const struct recording_traceback *traceback)
{
	for (size_t i = 0; i < traceback->len; i++) {
		bool is_begin_known = i == 0 && traceback->begin != STMLOG_NO_SITE;
		uint32_t site = is_begin_known ? traceback->begin : traceback->sites[i];
		struct frame_numbers frames = frame_ids_site(builder->ids, site);
		for (size_t k = 0; k < frames.len; k++)
			add_frame(source, frames.at[k]);
	}
}

/* Which frame is that of the begin, or is at least in the begin's function; source->len: none is known to be. */
static size_t find_begin(const struct builder *builder, const struct source *source, uint32_t known, uint32_t *begin)
{
	for (size_t i = 0; i < source->len; i++) {
		*begin = source->frames[i];
		if (known != NONE ? *begin == known : is_begin(builder, *begin))
			return i;
	}
	for (size_t i = 0; i < source->len; i++) {
		*begin = begin_in_function_of(builder, source->frames[i]);
		if (*begin != NONE && (known == NONE || is_same_function(builder, *begin, known)))
			return i;
	}
	*begin = NONE;
	return source->len;
}

/* The traceback of a loss begins with the frames of the access: the begin takes their place. If it is not known, all
 * frames stay. `known`: the begin, if an entry tells it. */
static void start_at_begin(struct builder *builder, struct source *source, uint32_t known)
{
	uint32_t begin;
	size_t at = find_begin(builder, source, known, &begin);
	if (known != NONE)
		begin = known;
	if (begin == NONE)
		return;
	size_t outer = at < source->len ? source->len - at - 1 : 0;
	memmove(source->frames + 1, source->frames + source->len - outer, outer * sizeof *source->frames);
	source->frames[0] = begin;
	source->len = outer + 1;
}

static void add_path(struct builder *builder, const struct stmlog_path_record *path)
{
	struct recording_traceback traceback = recording_traceback(builder->recording, path->traceback);
	struct source *source = &builder->sources[builder->len++];
	*source = (struct source){
		.commits = path->estimated_commits, .aborts = path->estimated_aborts, .measured = path->commits};
	add_frames(builder, source, &traceback);
	if (source->len > 0)
		start_at_begin(builder, source, innermost_of(builder, builder->begin_sites[path->traceback]));
}

static void add_transaction(struct builder *builder, const struct stmlog_transaction_record *record)
{
	struct source *source = &builder->sources[builder->len++];
	*source = (struct source){.commits = (double)record->commits,
		.aborts = (double)record->attempts - (double)record->commits,
		.measured = record->commits};
	if (record->site != STMLOG_NO_SITE)
		add_frame(source, innermost_of(builder, record->site));
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

static int by_frames(const void *a, const void *b)
{
	const struct source *left = a, *right = b;
	for (size_t i = 0; i < left->len && i < right->len; i++)
		if (left->frames[i] != right->frames[i])
			return sort_numbers(left->frames[i], right->frames[i]);
	return sort_numbers(left->len, right->len);
}

/* ---- rows ---- */

/* Sources of one row: they share their frames up to `depth`. */
struct range {
	const struct source *from, *to;
	size_t depth;
};

static uint32_t frame_at(const struct source *source, size_t depth)
{
	return depth < source->len ? source->frames[depth] : NONE;
}

/* The first sources of the range that have the same frame at its depth. */
static struct range first_part(const struct range *range)
{
	struct range part = {range->from, range->from, range->depth};
	uint32_t frame = frame_at(range->from, range->depth);
	while (part.to != range->to && frame_at(part.to, range->depth) == frame)
		part.to++;
	return part;
}

/* Moves the range outwards to where its sources differ. Returns false if they are all the same. */
static bool go_out(struct range *range)
{
	for (range->depth++; range->depth < FRAMES_MAX; range->depth++)
		if (frame_at(range->from, range->depth) != frame_at(range->to - 1, range->depth))
			return true;
	return false;
}

static struct callers_row callers_row_of(const struct range *part, unsigned level)
{
	struct callers_row row = {.level = level};
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
	struct callers_row first = callers_row_of(left, 0), second = callers_row_of(right, 0);
	double more = second.commits + second.aborts - first.commits - first.aborts;
	return more > 0   ? 1
	       : more < 0 ? -1
			  : sort_numbers(frame_at(left->from, left->depth), frame_at(right->from, right->depth));
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
		uint32_t frame = frame_at(parts[i].from, parts[i].depth);
		callers->rows[callers->len] = callers_row_of(&parts[i], level);
		callers->rows[callers->len++].frame = frame != NONE ? frame_ids_frame(builder->ids, frame) : NULL;
		if (go_out(&parts[i]))
			add_parts(builder, parts[i], level + 1);
	}
	free(parts);
}

struct callers callers_make(const struct recording *recording, struct symbols *symbols)
{
	struct builder builder = {.recording = recording, .ids = frame_ids_create(recording, symbols)};
	builder.callers.is_exact = !recording_is_sampled(recording);
	builder.callers.has_callers = recording->path_count != 0;
	note_begins(&builder);
	add_sources(&builder);
	sum_up(&builder);
	if (builder.callers.has_callers)
		scale(&builder);
	qsort(builder.sources, builder.len, sizeof *builder.sources, by_frames);
	struct range all = {builder.sources, builder.sources + builder.len, 0};
	if (builder.len != 0)
		add_parts(&builder, all, 0);
	free(builder.sources);
	free(builder.begins);
	free(builder.begin_sites);
	frame_ids_destroy(&builder.ids);
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
