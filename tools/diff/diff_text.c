/* SPDX-License-Identifier: MIT
 * Prints a comparison as text: whether the sides are comparable, the whole, the keys, the verdict. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cause.h"
#include "diff.h"
#include "diff_pairs.h"
#include "file_printer.h"
#include "memory.h"
#include "number.h"
#include "report_table.h"
#include "utf8.h"

/* Prints the text without control characters, and frees it. */
static void print_clean(FILE *out, const char *before, char *text, const char *after)
{
	char *clean = utf8_clean(text, UTF8_HIDE_CONTROLS);
	fprintf(out, "%s%s%s", before, clean, after);
	free(clean);
	free(text);
}

static void print_note(const char *line, void *out)
{
	print_clean(out, "note: ", memory_text(line), "\n");
}

/* ---- figures ---- */

static struct number value_text(const struct diff *diff, double value)
{
	struct number text;
	bool is_time = diff->options.metric == DIFF_LOST || diff->options.metric == DIFF_PAUSED;
	if (is_time && value >= 999.5)
		return number_time(value < 1e18 ? (uint64_t)(value + 0.5) : (uint64_t)1e18);
	snprintf(text.text, sizeof text.text, is_time ? "%.3g ns" : "%.4g", value);
	return text;
}

static struct number median_text(const struct diff *diff, const struct statistics_median *median)
{
	struct number text;
	snprintf(text.text, sizeof text.text, "%.14s [%.14s, %.14s]", value_text(diff, median->value).text,
		value_text(diff, median->low).text, value_text(diff, median->high).text);
	return text;
}

/* "~" if the change is not significant. */
static struct number change_text(const struct diff_row *row)
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

static struct number p_text(double p)
{
	struct number text;
	snprintf(text.text, sizeof text.text, p < 0.0001 ? "%.0e" : "%.4f", p);
	return text;
}

/* ---- keys ---- */

static char *frame_text(const struct diff_frame *frame)
{
	const char *function = frame->function != NULL ? frame->function : "?", *file = frame->file;
	if (file == NULL)
		return memory_text(function);
	return frame->line != 0 ? memory_format("%s %s:%" PRIu32, function, file, frame->line)
				: memory_format("%s %s", function, file);
}

/* "transfer bank.c:61 < worker < main": with callers, since keys may differ in these alone. */
static char *place_text(const struct diff_traceback *traceback)
{
	enum { CALLERS = 2 };
	if (traceback->len == 0)
		return memory_text(traceback->is_known ? "(no frames)" : "unknown");
	char *chain = frame_text(&traceback->frames[0]);
	for (size_t i = 1; i < traceback->len && i <= CALLERS && traceback->frames[i].function != NULL; i++) {
		char *longer = memory_format("%s < %s", chain, traceback->frames[i].function);
		free(chain);
		chain = longer;
	}
	return chain;
}

/* The new side's key, whose lines are the current ones; or else the old side's. */
static const struct diff_key *key_of(const struct diff_row *row)
{
	return row->key[DIFF_NEW] != NULL ? row->key[DIFF_NEW] : row->key[DIFF_OLD];
}

/* "transfer bank.c:61, blocked by audit bank.c:80: self-abort, write-write". The caller frees it. */
static char *key_text(const struct diff_row *row)
{
	const struct diff_key *key = key_of(row);
	if (key->is_evicted)
		return memory_text("(evicted)");
	char *local = place_text(&key->local), *remote = place_text(&key->remote);
	char *text = memory_format("%s, blocked by %s: %s, %s%s%s", local, remote, cause_reason_name(key->reason),
		cause_contention_name(key->contention), key->detail[0] != '\0' ? ", " : "", key->detail);
	char *clean = utf8_clean(text, UTF8_HIDE_CONTROLS);
	free(local);
	free(remote);
	free(text);
	return clean;
}

static const char *mark_of(const struct diff_row *row)
{
	static const char *const marks[] = {
		[DIFF_UNCLEAR] = "", [DIFF_LITTLE] = "", [DIFF_BETTER] = "better", [DIFF_WORSE] = "WORSE"};
	if (row->is_new)
		return row->verdict == DIFF_WORSE ? "WORSE, new" : "new";
	return row->is_gone ? "vanished" : marks[row->verdict];
}

/* ---- tables ---- */

static void print_row(const struct diff *diff, struct report_table *table, const struct diff_row *row, const char *name)
{
	struct number old = median_text(diff, &row->median[DIFF_OLD]), new = median_text(diff, &row->median[DIFF_NEW]);
	struct number change = change_text(row), p = p_text(row->p);
	const char *cells[] = {old.text, new.text, change.text, p.text, mark_of(row), name};
	report_table_row(table, cells);
}

static struct report_table *begin_table(FILE *out, const char *p, const char *what)
{
	const struct table_column columns[] = {{"old", TABLE_RIGHT}, {"new", TABLE_RIGHT}, {"change", TABLE_RIGHT},
		{p, TABLE_RIGHT}, {"", TABLE_LEFT}, {what, TABLE_LEFT}, {0}};
	struct printer printer = file_printer(out);
	return report_table_create(&printer, columns);
}

static void print_whole(const struct diff *diff, FILE *out)
{
	struct report_table *table = begin_table(out, "p", "");
	print_row(diff, table, &diff->whole, "total");
	report_table_finish(&table);
}

/* Of the keys without a significant change, a few are shown. */
enum { MOST_UNCLEAR = 10 };

static void print_keys(const struct diff *diff, FILE *out)
{
	size_t unclear = 0;
	if (diff->len == 0)
		return;
	fputc('\n', out);
	struct report_table *table = begin_table(out, "p (keys)", "where, and who was in the way");
	for (size_t i = 0; i < diff->len; i++) {
		const struct diff_row *row = &diff->rows[i];
		bool is_unclear = row->verdict == DIFF_UNCLEAR && !row->is_new && !row->is_gone;
		if (is_unclear && unclear++ >= MOST_UNCLEAR)
			continue;
		char *name = key_text(row);
		print_row(diff, table, row, name);
		free(name);
	}
	report_table_finish(&table);
	if (unclear > MOST_UNCLEAR)
		fprintf(out, "... %zu more that do not differ significantly (--json has all)\n",
			unclear - MOST_UNCLEAR);
}

/* ---- words ---- */

static void print_basis(const struct diff *diff, FILE *out)
{
	static const char *const per_second = " (commits are not known in every run, or none)";
	const struct statistics_median *old = &diff->whole.median[DIFF_OLD], *new = &diff->whole.median[DIFF_NEW];
	fprintf(out, "OLD %zu run%s, NEW %zu run%s: %s%s\n", diff->sides[DIFF_OLD].len,
		diff->sides[DIFF_OLD].len == 1 ? "" : "s", diff->sides[DIFF_NEW].len,
		diff->sides[DIFF_NEW].len == 1 ? "" : "s", diff_unit(diff), diff->is_per_second ? per_second : "");
	fprintf(out, "median [interval, confidence %.1f %% old, %.1f %% new]; alpha %g, %zu key%s; threshold %g %%\n\n",
		100 * old->confidence, 100 * new->confidence, diff->options.alpha, diff->len, diff->len == 1 ? "" : "s",
		100 * diff->options.threshold);
}

static void print_undecided(const struct diff *diff, FILE *out)
{
	size_t old = diff->sides[DIFF_OLD].len, new = diff->sides[DIFF_NEW].len;
	size_t fewer = old < new ? old : new;
	if (fewer < DIFF_LEAST_RUNS)
		fprintf(out,
			"cannot decide: fewer than %d runs on a side can never reach alpha 0.05; %d a side are "
			"recommended\n",
			DIFF_LEAST_RUNS, DIFF_GOOD_RUNS);
	else
		fprintf(out, "cannot decide: %zu and %zu runs can never reach alpha %g; %d a side are recommended\n",
			old, new, diff->options.alpha, DIFF_GOOD_RUNS);
}

/* Tells how many keys are too small for the correction to find them, however much their sides differ. */
static void print_too_small(const struct diff *diff, FILE *out)
{
	bool has_few = diff->sides[DIFF_OLD].len < DIFF_GOOD_RUNS || diff->sides[DIFF_NEW].len < DIFF_GOOD_RUNS;
	if (diff->too_small == 0)
		return;
	fprintf(out, "%zu of %zu keys %s too small to be significant alone: less than %.2g %% of the sum of all keys",
		diff->too_small, diff->len, diff->too_small == 1 ? "is" : "are", fmin(100 * diff->least_weight, 100));
	if (has_few)
		fprintf(out, "; %d runs a side are recommended", DIFF_GOOD_RUNS);
	fputc('\n', out);
}

/* Frees `name`. */
static void print_worse(const struct diff *diff, const struct diff_row *row, char *name, FILE *out)
{
	fprintf(out, "regression: %s: %s -> %s, %s, p %s\n", name, value_text(diff, row->median[DIFF_OLD].value).text,
		value_text(diff, row->median[DIFF_NEW].value).text, change_text(row).text, p_text(row->p).text);
	free(name);
}

/* "transfer, blocked by audit, all causes". The caller frees it. */
static char *pair_text(const struct diff_row *row)
{
	const struct diff_key *key = key_of(row);
	char *text = memory_format(
		"%s, blocked by %s, all causes", diff_pairs_function(&key->local), diff_pairs_function(&key->remote));
	char *clean = utf8_clean(text, UTF8_HIDE_CONTROLS);
	free(text);
	return clean;
}

static void print_whole_worse(const struct diff *diff, FILE *out)
{
	if (diff->whole.verdict != DIFF_WORSE)
		return;
	print_worse(diff, &diff->whole, memory_text("total"), out);
	for (size_t i = 0; i < diff->pairs_len; i++) {
		if (diff->pairs[i].verdict == DIFF_WORSE)
			print_worse(diff, &diff->pairs[i], pair_text(&diff->pairs[i]), out);
	}
}

static void print_verdict(const struct diff *diff, FILE *out)
{
	fputc('\n', out);
	if (!diff->is_decided) {
		print_undecided(diff, out);
		return;
	}
	print_too_small(diff, out);
	if (diff->worse == 0)
		fputs("no regression\n", out);
	print_whole_worse(diff, out);
	for (size_t i = 0; i < diff->len; i++) {
		if (diff->rows[i].verdict == DIFF_WORSE)
			print_worse(diff, &diff->rows[i], key_text(&diff->rows[i]), out);
	}
}

void diff_text(const struct diff *diff, FILE *out)
{
	diff_facts_compare(&diff->sides[DIFF_OLD].facts, &diff->sides[DIFF_NEW].facts, print_note, out);
	print_basis(diff, out);
	print_whole(diff, out);
	print_keys(diff, out);
	print_verdict(diff, out);
}
