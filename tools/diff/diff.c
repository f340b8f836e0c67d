/* SPDX-License-Identifier: MIT
 * Makes rows of the runs of two sides: of the whole runs, of keys, of pairs of functions, and of regions.
 * diff_judge.c gives verdicts to the rows; the file of each format, such as diff_text.c, prints them. */
#include "diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "recorded_account.h"
#include "records.h"
#include "diag.h"
#include "dictionary.h"
#include "memory.h"
#include "recorded_account.h"
#include "work.h"

/* How many runs of both sides have regions of this tag, and in how many of these work was done. */
struct presence {
	size_t runs, with_tag, with_work;
};

/* ---- regions ----
 * Work may differ from run to run, and so may the number of regions. So a tag is judged by a figure that depends on
 * neither: its speed; or the time of each region, if not every run says how much work there was. The time of each
 * region is that of the outermost ones, because how deep a recursion goes is up to the new version. */

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

/* Adds the regions of a run, which is number `run` of its side, from 0 on. If its timeline contradicts itself, prints
 * so and adds none. The path is for this message only. */
static void diff_regions_add(
	struct diff *diff, int side, size_t run, const struct recording *recording, const char *path)
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

static void diff_regions_fini(struct diff *diff)
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

/* ---- values of regions ---- */

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

/* Makes the rows of all tags, once all runs are loaded. diff_judge() needs them; it gives the verdicts. */
static void diff_regions_make(struct diff *diff)
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

/* ---- the order of regions ---- */

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

/* Sorts the tags: those that are worse first, then those of the most time, then by name. */
static void diff_regions_sort(struct diff *diff)
{
	if (diff->regions_len > 0)
		qsort(diff->regions, diff->regions_len, sizeof(struct diff_region *), compare_regions);
}

/* ---- the life of a comparison ---- */

struct diff diff_init(const struct diff_options *options, const size_t runs[2])
{
	struct diff diff = {.options = *options, .runs_max = {runs[DIFF_OLD], runs[DIFF_NEW]}};
	for (int side = 0; side < 2; side++) {
		diff.sides[side].runs = memory_zeroed(runs[side], sizeof(struct diff_run));
		diff.sides[side].facts = diff_facts_init(runs[side]);
		diff.sides[side].keys = diff_keys_init(runs[side]);
	}
	return diff;
}

static void row_fini(struct diff_row *row)
{
	free(row->values[DIFF_OLD]);
	free(row->values[DIFF_NEW]);
}

void diff_fini(struct diff *diff)
{
	for (int side = 0; side < 2; side++) {
		free(diff->sides[side].runs);
		diff_facts_fini(&diff->sides[side].facts);
		diff_keys_fini(&diff->sides[side].keys);
	}
	for (size_t i = 0; i < diff->len; i++)
		row_fini(&diff->rows[i]);
	for (size_t i = 0; i < diff->pairs_len; i++)
		row_fini(&diff->pairs[i]);
	row_fini(&diff->whole);
	row_fini(&diff->throughput);
	diff_regions_fini(diff);
	free(diff->pairs);
	free(diff->rows);
}

/* ---- runs ---- */

static uint64_t aborts_of_entries(const struct recording *recording)
{
	uint64_t aborts = 0;
	for (size_t i = 0; i < recording->total_count; i++)
		aborts += cause_is_abort(recording->totals[i].reason) ? recording->totals[i].count : 0;
	return aborts;
}

static void add_run(struct diff *diff, int number, struct recording *recording, const char *path)
{
	struct diff_side *side = &diff->sides[number];
	struct recorded_account account = account_total(recording);
	const uint64_t *row_ns = recording->row_ns;
	uint64_t measured = aborts_of_entries(recording);
	double aborts_per_entry = measured != 0 ? (double)account.aborts / (double)measured : 0;
	struct symbols *symbols = symbols_create(recording);
	diff_keys_add(&side->keys, side->len, recording, symbols, aborts_per_entry);
	symbols_destroy(&symbols);
	diff_facts_add(&side->facts, recording, path);
	diff_regions_add(diff, number, side->len, recording, path);
	side->runs[side->len++] = (struct diff_run){
		.path = path,
		.commits = (double)account.commits,
		.wall_ns = (double)recording->info.wall_ns,
		.lost_ns = (double)(row_ns[STMLOG_ACCOUNT_ABORTED] + row_ns[STMLOG_ACCOUNT_PAUSED] +
				    row_ns[STMLOG_ACCOUNT_WAITING]),
		.paused_ns = (double)(row_ns[STMLOG_ACCOUNT_PAUSED] + row_ns[STMLOG_ACCOUNT_WAITING]),
		.aborts = (double)account.aborts,
	};
}

/* Why the recording cannot be compared; NULL: it can. */
static const char *fault_of(const struct diff *diff, const struct recording *recording)
{
	bool is_of_time = diff->options.metric == DIFF_LOST || diff->options.metric == DIFF_PAUSED;
	if (is_of_time && !recording_has_times(recording))
		return "has no times; use --metric=aborts";
	return recording->info.wall_ns == 0 ? "has no time at all" : NULL;
}

bool diff_load(struct diff *diff, int side, const char *path)
{
	struct recording recording;
	bool is_whole = recording_load(&recording, path) == RECORDING_WHOLE;
	const char *fault = is_whole ? fault_of(diff, &recording) : recording.fault;
	if (fault != NULL)
		diag(path, "%s", fault);
	else
		add_run(diff, side, &recording, path);
	recording_fini(&recording);
	return fault == NULL;
}

/* ---- values ---- */

/* A run without commits; NULL: there is no such run. */
static const struct diff_run *run_without_commits(const struct diff *diff)
{
	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i < diff->sides[side].len; i++) {
			const struct diff_run *run = &diff->sides[side].runs[i];
			if (run->commits <= 0)
				return run;
		}
	}
	return NULL;
}

const char *diff_metric_name(enum diff_metric metric)
{
	static const char *const names[] = {[DIFF_LOST] = "lost",
		[DIFF_ABORTS] = "aborts",
		[DIFF_PAUSED] = "paused",
		[DIFF_RATE] = "rate",
		[DIFF_THROUGHPUT] = "throughput",
		[DIFF_SPEED] = "speed",
		[DIFF_EACH] = "each",
		[DIFF_WORK] = "work",
		[DIFF_TIME] = "time"};
	return names[metric];
}

const char *diff_unit(const struct diff *diff)
{
	static const char *const names[][2] = {
		[DIFF_LOST] = {"ns lost per transaction", "ns lost per second"},
		[DIFF_ABORTS] = {"aborts per transaction", "aborts per second"},
		[DIFF_PAUSED] = {"ns paused or waiting per transaction", "ns paused or waiting per second"},
		[DIFF_RATE] = {"aborts per attempt", "aborts per attempt"},
		[DIFF_THROUGHPUT] = {"commits per second", "commits per second"},
	};
	return names[diff->options.metric][diff->is_per_second];
}

/* The metric's value of a loss within the run. */
static double value_of(
	const struct diff *diff, enum diff_metric metric, const struct diff_run *run, const struct diff_loss *loss)
{
	double whole = diff->is_per_second ? run->wall_ns / 1e9 : run->commits;
	switch (metric) {
	case DIFF_LOST:
		return loss->lost_ns / whole;
	case DIFF_PAUSED:
		return loss->paused_ns / whole;
	case DIFF_RATE:
		return loss->aborts / (run->commits + run->aborts);
	case DIFF_THROUGHPUT:
		return run->commits / (run->wall_ns / 1e9);
	default:
		return loss->aborts / whole;
	}
}

/* A value for each run of the side, from 0 to 2^64: of the key, or of the whole run. A damaged file may have estimates
 * that are below or above, or no numbers. `key` NULL: the side does not have the key. */
static double *values_of(
	const struct diff *diff, enum diff_metric metric, int side, const struct diff_key *key, bool is_whole)
{
	const struct diff_side *loaded = &diff->sides[side];
	double *values = memory_zeroed(loaded->len, sizeof *values);
	for (size_t i = 0; i < loaded->len; i++) {
		const struct diff_run *run = &loaded->runs[i];
		struct diff_loss whole = {run->lost_ns, run->paused_ns, run->aborts}, none = {0, 0, 0};
		const struct diff_loss *loss = is_whole ? &whole : key != NULL ? &key->losses[i] : &none;
		values[i] = fmin(fmax(value_of(diff, metric, run, loss), 0), 0x1p64);
	}
	return values;
}

/* `match` NULL: the row of the whole runs. */
static struct diff_row diff_row_of(const struct diff *diff, enum diff_metric metric, const struct diff_match *match)
{
	struct diff_row row = {.metric = metric, .verdict = DIFF_UNCLEAR};
	for (int side = 0; side < 2; side++) {
		row.key[side] = match != NULL ? match->key[side] : NULL;
		row.values[side] = values_of(diff, metric, side, row.key[side], match == NULL);
	}
	diff_row_fill(diff, &row);
	return row;
}

static void make_rows(struct diff *diff)
{
	size_t len;
	struct diff_match *matches = diff_keys_match(&diff->sides[DIFF_OLD].keys, &diff->sides[DIFF_NEW].keys, &len);
	diff->rows = memory_zeroed(len, sizeof *diff->rows);
	for (size_t i = 0; i < len; i++) {
		struct diff_row row = diff_row_of(diff, diff->options.metric, &matches[i]);
		if (row.is_new && row.is_gone)
			row_fini(&row);
		else
			diff->rows[diff->len++] = row;
	}
	free(matches);
}

/* ---- pairs of functions ----
 * The loss of one pair moves between causes and lines from run to run, so its sum varies less than each key does.
 * Evicted losses have no functions, and are in no pair. */

const char *diff_pairs_function(const struct diff_traceback *traceback)
{
	bool has_function = traceback->len > 0 && traceback->frames[0].function != NULL;
	return has_function ? traceback->frames[0].function : "unknown";
}

static const struct diff_key *key_of(const struct diff_row *row)
{
	return row->key[DIFF_OLD] != NULL ? row->key[DIFF_OLD] : row->key[DIFF_NEW];
}

/* A text for both functions. Names may have any bytes, so the text has the length of the first, too. */
static char *functions_text_of(const struct diff_key *key)
{
	const char *local = diff_pairs_function(&key->local), *remote = diff_pairs_function(&key->remote);
	return memory_format("%zu %s%s", strlen(local), local, remote);
}

/* The pair of the row. Pairs are in the order of the dictionary's numbers. */
static struct diff_row *pairs_find(struct diff *diff, struct dictionary *texts, const struct diff_row *row)
{
	char *text = functions_text_of(key_of(row));
	const struct dictionary_entry *entry = dictionary_find(texts, text);
	struct diff_row *pair = &diff->pairs[entry->number - 1];
	free(text);
	if (!entry->is_new)
		return pair;
	diff->pairs_len++;
	pair->metric = row->metric;
	for (int side = 0; side < 2; side++) {
		pair->key[side] = row->key[side];
		pair->values[side] = memory_zeroed(diff->sides[side].len, sizeof(double));
	}
	return pair;
}

static void pairs_add(const struct diff *diff, struct diff_row *pair, const struct diff_row *row)
{
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < diff->sides[side].len; i++)
			pair->values[side][i] += row->values[side][i];
}

/* Makes the pairs from the rows of keys. The key of a pair is that of one of its rows. */
static void diff_pairs_make(struct diff *diff)
{
	struct dictionary texts = {.len = 0};
	diff->pairs = memory_zeroed(diff->len, sizeof *diff->pairs);
	for (size_t i = 0; i < diff->len; i++) {
		if (!key_of(&diff->rows[i])->is_evicted)
			pairs_add(diff, pairs_find(diff, &texts, &diff->rows[i]), &diff->rows[i]);
	}
	dictionary_fini(&texts);
	for (size_t i = 0; i < diff->pairs_len; i++)
		diff_row_fill(diff, &diff->pairs[i]);
}

/* ---- the comparison ---- */

/* Largest change first; rows of equal change in the order of their names, whatever the order of the files. */
static int compare_rows(const void *a, const void *b)
{
	const struct diff_row *left = a, *right = b;
	double left_more = fabs(diff_more(left)), right_more = fabs(diff_more(right));
	if (left_more < right_more || left_more > right_more)
		return left_more > right_more ? -1 : 1;
	const struct diff_key *l = left->key[left->key[DIFF_OLD] == NULL];
	const struct diff_key *r = right->key[right->key[DIFF_OLD] == NULL];
	return diff_keys_compare(l, r);
}

bool diff_compare(struct diff *diff)
{
	const enum diff_metric metric = diff->options.metric;
	const struct diff_run *unknown = run_without_commits(diff);
	diff->is_per_second = unknown != NULL;
	if (unknown != NULL && (metric == DIFF_RATE || metric == DIFF_THROUGHPUT)) {
		diag(unknown->path, "has no commits; use --metric=aborts");
		return false;
	}
	diff->whole = diff_row_of(diff, metric, NULL);
	diff->has_throughput = unknown == NULL && metric != DIFF_THROUGHPUT;
	if (diff->has_throughput)
		diff->throughput = diff_row_of(diff, DIFF_THROUGHPUT, NULL);
	if (metric != DIFF_THROUGHPUT)
		make_rows(diff);
	diff_pairs_make(diff);
	diff_regions_make(diff);
	diff_judge(diff);
	diff_regions_sort(diff);
	if (diff->len > 0)
		qsort(diff->rows, diff->len, sizeof *diff->rows, compare_rows);
	return true;
}
