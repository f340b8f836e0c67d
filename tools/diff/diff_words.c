/* SPDX-License-Identifier: MIT */
#include "diff_words.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include <stmlog/causes.h>

#include "check.h"
#include "memory.h"
#include "utf8.h"

const struct diff_key *diff_words_key(const struct diff_row *row)
{
	return row->key[DIFF_NEW] != NULL ? row->key[DIFF_NEW] : row->key[DIFF_OLD];
}

/* ---- figures ---- */

struct number diff_words_value(const struct diff_row *row, double value)
{
	struct number text;
	bool is_time = row->metric == DIFF_LOST || row->metric == DIFF_PAUSED || row->metric == DIFF_EACH ||
		       row->metric == DIFF_TIME;
	uint64_t whole = value < 1e18 ? (uint64_t)(value + 0.5) : (uint64_t)1e18;
	if (value >= 999.5)
		return is_time ? number_time(whole) : number_count(whole);
	snprintf(text.text, sizeof text.text, is_time ? "%.3g ns" : "%.4g", value);
	return text;
}

struct number diff_words_median(const struct diff_row *row, int side)
{
	struct number text;
	const struct statistics_median *median = &row->median[side];
	if (median->confidence <= 0)
		return diff_words_value(row, median->value);
	snprintf(text.text, sizeof text.text, "%.18s [%.18s, %.18s]", diff_words_value(row, median->value).text,
		diff_words_value(row, median->low).text, diff_words_value(row, median->high).text);
	return text;
}

struct number diff_words_change(const struct diff_row *row)
{
	struct number text = {"~"};
	double change = diff_change(row);
	if (row->verdict == DIFF_UNCLEAR)
		return text;
	if (isfinite(change) && fabs(change) < 1e6)
		snprintf(text.text, sizeof text.text, "%+.1f %%", 100 * change);
	else
		snprintf(text.text, sizeof text.text, "from 0");
	return text;
}

struct number diff_words_p(const struct diff *diff, const char *before, double p)
{
	struct number text = {""};
	if (diff->sides[DIFF_OLD].len + diff->sides[DIFF_NEW].len > 2)
		snprintf(text.text, sizeof text.text, p < 0.0001 ? "%s%.0e" : "%s%.4f", before, p);
	return text;
}

const char *diff_words_unit(const struct diff *diff, const struct diff_row *row)
{
	static const char *const names[][2] = {
		[DIFF_LOST] = {"lost per commit", "lost per second"},
		[DIFF_ABORTS] = {"aborts per commit", "aborts per second"},
		[DIFF_PAUSED] = {"paused per commit", "paused per second"},
		[DIFF_RATE] = {"aborts per attempt", "aborts per attempt"},
		[DIFF_THROUGHPUT] = {"commits/s", "commits/s"},
		[DIFF_SPEED] = {"work per second", "work per second"},
		[DIFF_EACH] = {"time of each", "time of each"},
		[DIFF_WORK] = {"work", "work"},
		[DIFF_TIME] = {"time", "time"},
	};
	return names[row->metric][diff->is_per_second];
}

const char *diff_words_verdict(const struct diff *diff, const struct diff_row *row)
{
	static const char *const words[] = {
		[DIFF_UNCLEAR] = "", [DIFF_LITTLE] = "", [DIFF_BETTER] = "better", [DIFF_WORSE] = "WORSE"};
	bool is_judged = row->verdict == DIFF_WORSE || row->verdict == DIFF_BETTER;
	if (row == &diff->throughput && is_judged)
		return row->verdict == DIFF_WORSE ? "lower" : "higher";
	if (row->is_new && !row->is_gone)
		return row->verdict == DIFF_WORSE ? "WORSE, new" : "new";
	return row->is_gone && !row->is_new ? "vanished" : words[row->verdict];
}

/* ---- names ---- */

/* Frees `text`. */
static char *followed(char *text, const char *by, const char *more)
{
	char *longer = memory_format("%s%s%s", text, by, more);
	free(text);
	return longer;
}

static char *frame_text(const struct diff_frame *frame)
{
	const char *function = frame->function != NULL ? frame->function : "?", *file = frame->file;
	if (file == NULL)
		return memory_text(function);
	char *position = symbol_position(file, frame->line, frame->last_line);
	char *text = memory_format("%s %s", function, position);
	free(position);
	return text;
}

char *diff_words_place(const struct diff_traceback *traceback, size_t callers)
{
	if (traceback->len == 0)
		return memory_text(traceback->is_known ? "(no frames)" : "unknown");
	char *chain = frame_text(&traceback->frames[0]);
	for (size_t i = 1; i < traceback->len && i <= callers && traceback->frames[i].function != NULL; i++)
		chain = followed(chain, " < ", traceback->frames[i].function);
	return utf8_cleaned(chain);
}

char *diff_words_cause(const struct diff_key *key)
{
	return utf8_cleaned(memory_format("%s, %s%s%s", stmlog_reason_name(key->reason),
		stmlog_contention_name(key->contention), key->detail != NULL && key->detail[0] != '\0' ? ", " : "",
		key->detail != NULL ? key->detail : ""));
}

char *diff_words_name(const struct diff_key *key)
{
	if (key->is_evicted)
		return memory_text("(evicted)");
	char *local = diff_words_place(&key->local, 0);
	char *remote = diff_words_place(&key->remote, 0);
	char *cause = diff_words_cause(key);
	char *text = memory_format("%s, blocked by %s: %s", local, remote, cause);
	free(local);
	free(remote);
	free(cause);
	return text;
}

char *diff_words_pair(const struct diff_row *row)
{
	const struct diff_key *key = diff_words_key(row);
	return utf8_cleaned(memory_format(
		"%s, blocked by %s, all causes", diff_pairs_function(&key->local), diff_pairs_function(&key->remote)));
}

char *diff_words_tag(const struct diff_region *region)
{
	return utf8_clean(region->tag, UTF8_HIDE_CONTROLS);
}

/* ---- sentences ---- */

char *diff_words_figures(const struct diff *diff, const struct diff_row *row)
{
	return memory_format("%s -> %s, %s%s", diff_words_value(row, row->median[DIFF_OLD].value).text,
		diff_words_value(row, row->median[DIFF_NEW].value).text, diff_words_change(row).text,
		diff_words_p(diff, ", p ", row->p).text);
}

/* "NAME: 104 ns -> 157 ns lost per commit, +50.0 %, p 0.0286: WORSE"; without a verdict, why there is none. */
static char *sentence(const struct diff *diff, const struct diff_row *row, const char *name)
{
	const char *verdict = row->verdict == DIFF_LITTLE    ? "below threshold"
			      : row->verdict == DIFF_UNCLEAR ? diff->is_decided ? "not significant" : "undecided"
							     : diff_words_verdict(diff, row);
	char *change =
		row->verdict != DIFF_UNCLEAR ? memory_format(", %s", diff_words_change(row).text) : memory_text("");
	char *text =
		memory_format("%s: %s -> %s %s%s%s: %s", name, diff_words_value(row, row->median[DIFF_OLD].value).text,
			diff_words_value(row, row->median[DIFF_NEW].value).text, diff_words_unit(diff, row), change,
			diff_words_p(diff, ", p ", row->p).text, verdict);
	free(change);
	return text;
}

char *diff_words_total(const struct diff *diff)
{
	return sentence(diff, &diff->whole, "total");
}

char *diff_words_throughput(const struct diff *diff)
{
	REQUIRES(diff->has_throughput);
	return sentence(diff, &diff->throughput, "throughput");
}

char *diff_words_undecided(const struct diff *diff)
{
	REQUIRES(!diff->is_decided);
	size_t old = diff->sides[DIFF_OLD].len, new = diff->sides[DIFF_NEW].len;
	size_t fewer = old < new ? old : new;
	if (fewer < DIFF_MIN_RUNS)
		return memory_format(
			"cannot decide: fewer than %d runs on a side can never reach alpha 0.05; %d a side "
			"are recommended",
			DIFF_MIN_RUNS, DIFF_GOOD_RUNS);
	return memory_format("cannot decide: %zu and %zu runs can never reach alpha %g; %d a side are recommended", old,
		new, diff->options.alpha, DIFF_GOOD_RUNS);
}

char *diff_words_region_sums(const struct diff_region *region)
{
	const struct diff_row *work = &region->work, *time = &region->time;
	struct number old_ns = diff_words_value(time, time->median[DIFF_OLD].value);
	struct number new_ns = diff_words_value(time, time->median[DIFF_NEW].value);
	if (work->is_new && work->is_gone)
		return memory_format("no work, time %s -> %s", old_ns.text, new_ns.text);
	return memory_format("work %s -> %s, time %s -> %s", diff_words_value(work, work->median[DIFF_OLD].value).text,
		diff_words_value(work, work->median[DIFF_NEW].value).text, old_ns.text, new_ns.text);
}

const char *diff_words_region_undecided(const struct diff *diff, const struct diff_region *region)
{
	if (!diff->is_decided)
		return NULL;
	if (region->comparable == DIFF_COMPARABLE_NOT_IN_ALL)
		return "cannot decide: not every run has such a region";
	if (region->comparable == DIFF_COMPARABLE_NOT_ALL_WORK)
		return "cannot decide: some runs say how much work it was, and others do not";
	bool is_too_small = region->judged.verdict == DIFF_UNCLEAR && region->judged.weight < diff->min_weight;
	return is_too_small ? "cannot decide: too few runs for a region of so little time" : NULL;
}

char *diff_words_too_small(const struct diff *diff)
{
	bool has_few = diff->sides[DIFF_OLD].len < DIFF_GOOD_RUNS || diff->sides[DIFF_NEW].len < DIFF_GOOD_RUNS;
	if (diff->too_small == 0)
		return NULL;
	char *text = memory_format(
		"%zu of %zu keys %s too small to be significant alone: less than %.2g %% of the sum of all keys",
		diff->too_small, diff->len, diff->too_small == 1 ? "is" : "are", fmin(100 * diff->min_weight, 100));
	if (!has_few)
		return text;
	char *longer = memory_format("%s; %d runs a side are recommended", text, DIFF_GOOD_RUNS);
	free(text);
	return longer;
}

/* ---- rows ---- */

enum { CLASS_WORSE, CLASS_OTHER, CLASS_NOTHING, CLASSES };

/* Of NOTHING, most runs of both sides have nothing. */
static int class_of(const struct diff_row *row)
{
	bool has_figures = row->median[DIFF_OLD].value > 0 || row->median[DIFF_NEW].value > 0;
	if (row->verdict == DIFF_WORSE)
		return CLASS_WORSE;
	return row->verdict == DIFF_UNCLEAR && !has_figures ? CLASS_NOTHING : CLASS_OTHER;
}

const struct diff_row **diff_words_order(const struct diff *diff)
{
	const struct diff_row **order = memory_zeroed(diff->len, sizeof(struct diff_row *));
	size_t len = 0;
	for (int class = 0; class < CLASSES; class ++) {
		for (size_t i = 0; i < diff->len; i++) {
			if (class_of(&diff->rows[i]) == class)
				order[len++] = &diff->rows[i];
		}
	}
	return order;
}

size_t diff_words_shown(const struct diff *diff, const struct diff_row *const *order)
{
	size_t shown = 0, max = diff->len < diff->options.top ? diff->len : diff->options.top;
	while (shown < max && (diff->options.has_top || class_of(order[shown]) != CLASS_NOTHING))
		shown++;
	return shown;
}
