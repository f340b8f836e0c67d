/* SPDX-License-Identifier: MIT
 * Prints a comparison as a test suite in JUnit's XML: a test case for the total, for each key and for each region. A
 * regression is a failure; where the runs cannot decide, the case is skipped. Names have no lines, so that a case keeps
 * its name from build to build; keys that differ in their lines alone are numbered. Times are what the new runs have
 * lost there, in seconds: the median of a run. The elements and attributes are those that both usual schemas know, of
 * Ant's and of Jenkins' reports. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "diff.h"
#include "diff_words.h"
#include "memory.h"
#include "xml_text.h"

/* `name` is owned; `number` counts the cases of one name. */
struct test_case {
	const struct diff_row *row;
	char *name;
	size_t number;
};

static void put_attribute(FILE *out, const char *name, const char *text)
{
	fprintf(out, " %s=\"", name);
	xml_text_put(out, text);
	fputc('"', out);
}

/* ---- cases ---- */

static char *name_of(const struct diff_row *row)
{
	const struct diff_key *key = diff_words_key(row);
	if (key == NULL)
		return memory_text("total");
	if (key->is_evicted)
		return memory_text("(evicted)");
	char *local = diff_words_place(&key->local, SIZE_MAX, DIFF_WORDS_NO_LINE);
	char *remote = diff_words_place(&key->remote, SIZE_MAX, DIFF_WORDS_NO_LINE);
	char *cause = diff_words_cause(key);
	char *name = memory_format("%s, blocked by %s: %s", local, remote, cause);
	free(local);
	free(remote);
	free(cause);
	return name;
}

static uint32_t line_of(const struct diff_traceback *traceback)
{
	return traceback->len > 0 ? traceback->frames[0].line : 0;
}

static int compare_lines(const struct diff_key *left, const struct diff_key *right)
{
	uint32_t left_line = line_of(&left->local), right_line = line_of(&right->local);
	if (left_line == right_line) {
		left_line = line_of(&left->remote);
		right_line = line_of(&right->remote);
	}
	return (left_line > right_line) - (left_line < right_line);
}

static int compare_cases(const void *a, const void *b)
{
	const struct test_case *left = a, *right = b;
	int names = strcmp(left->name, right->name);
	return names != 0 ? names : compare_lines(diff_words_key(left->row), diff_words_key(right->row));
}

/* One for each key, sorted, and numbered where names are the same. */
static struct test_case *cases_of(const struct diff *diff)
{
	struct test_case *cases = memory_zeroed(diff->len, sizeof *cases);
	for (size_t i = 0; i < diff->len; i++)
		cases[i] = (struct test_case){&diff->rows[i], name_of(&diff->rows[i]), 1};
	qsort(cases, diff->len, sizeof *cases, compare_cases);
	for (size_t i = 1; i < diff->len; i++)
		cases[i].number = strcmp(cases[i].name, cases[i - 1].name) == 0 ? cases[i - 1].number + 1 : 1;
	return cases;
}

/* Why the runs cannot decide about the row; NULL: they can. The caller frees it. */
static char *why_undecided(const struct diff *diff, const struct diff_row *row)
{
	bool is_key = diff_words_key(row) != NULL;
	if (!diff->is_decided)
		return diff_words_undecided(diff);
	if (is_key && row->verdict == DIFF_UNCLEAR && row->weight < diff->min_weight)
		return memory_text("cannot decide: less is lost here than so few runs can tell");
	return NULL;
}

static double seconds_of(const struct diff *diff, const struct diff_row *row)
{
	const struct diff_side *side = &diff->sides[DIFF_NEW];
	bool is_whole = diff_words_key(row) == NULL;
	double *values = memory_zeroed(side->len, sizeof *values);
	for (size_t i = 0; i < side->len; i++) {
		const struct diff_key *key = row->key[DIFF_NEW];
		values[i] = is_whole ? side->runs[i].lost_ns : key != NULL ? key->losses[i].lost_ns : 0;
	}
	double median = statistics_median(values, side->len).value;
	free(values);
	return median / 1e9;
}

/* ---- printing ---- */

static void put_traceback(FILE *out, const char *before, const struct diff_traceback *traceback)
{
	fprintf(out, "%s", before);
	for (size_t i = 0; i < traceback->len; i++) {
		const struct diff_frame *frame = &traceback->frames[i];
		fputs("\n  ", out);
		xml_text_put(out, frame->function != NULL ? frame->function : "?");
		fputc(' ', out);
		const char *file = frame->path != NULL ? frame->path : frame->file != NULL ? frame->file : "";
		char *position = symbol_position(file, frame->line, frame->last_line);
		xml_text_put(out, position);
		free(position);
	}
	fputs(traceback->len == 0 ? " unknown\n" : "\n", out);
}

static void put_worse_pairs(const struct diff *diff, FILE *out)
{
	for (size_t i = 0; i < diff->pairs_len; i++) {
		if (diff->pairs[i].verdict != DIFF_WORSE)
			continue;
		char *name = diff_words_pair(&diff->pairs[i]), *figures = diff_words_figures(&diff->pairs[i]);
		xml_text_put(out, name);
		fputs(": ", out);
		xml_text_put(out, figures);
		fputc('\n', out);
		free(name);
		free(figures);
	}
}

static void put_failure(const struct diff *diff, const struct diff_row *row, FILE *out)
{
	const struct diff_key *key = diff_words_key(row);
	char *figures = diff_words_figures(row),
	     *message = memory_format("%s: %s", diff_words_unit(diff, row), figures);
	fputs("\n   <failure type=\"regression\"", out);
	put_attribute(out, "message", message);
	fputc('>', out);
	if (key == NULL)
		put_worse_pairs(diff, out);
	else if (!key->is_evicted) {
		put_traceback(out, "where", &key->local);
		put_traceback(out, "blocked by", &key->remote);
	}
	fputs("</failure>\n  ", out);
	free(figures);
	free(message);
}

/* Frees the name. `class` is the last part of the case's class. */
static void put_beginning(char *name, const char *class, double seconds, FILE *out)
{
	char *whole = memory_format("stmlog.diff.%s", class);
	fputs("  <testcase", out);
	put_attribute(out, "classname", whole);
	put_attribute(out, "name", name);
	fprintf(out, " time=\"%.9f\">", seconds);
	free(whole);
	free(name);
}

static void put_skipped(const char *why, FILE *out)
{
	fputs("\n   <skipped", out);
	put_attribute(out, "message", why);
	fputs("/>\n  ", out);
}

static void put_case(const struct diff *diff, const struct test_case *test, FILE *out)
{
	char *why = why_undecided(diff, test->row);
	char *name = test->number > 1 ? memory_format("%s #%zu", test->name, test->number) : memory_text(test->name);
	put_beginning(name, diff_metric_name(diff->options.metric), seconds_of(diff, test->row), out);
	if (why != NULL)
		put_skipped(why, out);
	else if (test->row->verdict == DIFF_WORSE)
		put_failure(diff, test->row, out);
	fputs("</testcase>\n", out);
	free(why);
}

/* ---- regions ---- */

/* Why the runs cannot decide about the region; NULL: they can. The caller frees it. */
static char *why_region_undecided(const struct diff *diff, const struct diff_region *region)
{
	const char *why = diff_words_region_undecided(diff, region);
	if (!diff->is_decided)
		return diff_words_undecided(diff);
	return why != NULL ? memory_text(why) : NULL;
}

static void put_region_failure(const struct diff *diff, const struct diff_region *region, FILE *out)
{
	char *figures = diff_words_figures(&region->judged), *sums = diff_words_region_sums(region);
	char *message = memory_format("%s: %s", diff_words_unit(diff, &region->judged), figures);
	fputs("\n   <failure type=\"regression\"", out);
	put_attribute(out, "message", message);
	fputc('>', out);
	xml_text_put(out, sums);
	fputs("</failure>\n  ", out);
	free(message);
	free(figures);
	free(sums);
}

static void put_region(const struct diff *diff, const struct diff_region *region, FILE *out)
{
	char *why = why_region_undecided(diff, region);
	put_beginning(diff_words_tag(region), "region", region->time.median[DIFF_NEW].value / 1e9, out);
	if (why != NULL)
		put_skipped(why, out);
	else if (region->judged.verdict == DIFF_WORSE)
		put_region_failure(diff, region, out);
	fputs("</testcase>\n", out);
	free(why);
}

/* ---- the suite ---- */

static size_t count_skipped(const struct diff *diff)
{
	size_t skipped = !diff->is_decided;
	for (size_t i = 0; i < diff->len; i++) {
		char *why = why_undecided(diff, &diff->rows[i]);
		skipped += why != NULL;
		free(why);
	}
	for (size_t i = 0; i < diff->regions_len; i++) {
		char *why = why_region_undecided(diff, diff->regions[i]);
		skipped += why != NULL;
		free(why);
	}
	return skipped;
}

/* When the first of the new runs began; in 1970 if that is not known. */
static void put_timestamp(const struct diff_side *side, FILE *out)
{
	struct tm parts;
	char text[32] = "1970-01-01T00:00:00";
	time_t seconds = (time_t)(side->runs[0].unix_ns / 1000000000);
	if (gmtime_r(&seconds, &parts) != NULL && parts.tm_year < 8000)
		strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
	put_attribute(out, "timestamp", text);
}

static void put_counts(const struct diff *diff, FILE *out)
{
	double wall_ns = 0;
	for (size_t i = 0; i < diff->sides[DIFF_NEW].len; i++)
		wall_ns += diff->sides[DIFF_NEW].runs[i].wall_ns;
	fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\" time=\"%.9f\"",
		diff->len + diff->regions_len + 1, diff->worse, count_skipped(diff), wall_ns / 1e9);
}

static void put_property(FILE *out, const char *name, char *value)
{
	fputs("   <property", out);
	put_attribute(out, "name", name);
	put_attribute(out, "value", value);
	fputs("/>\n", out);
	free(value);
}

static void put_properties(const struct diff *diff, FILE *out)
{
	fputs("  <properties>\n", out);
	put_property(out, "unit", memory_text(diff_unit(diff)));
	put_property(out, "old runs", memory_format("%zu", diff->sides[DIFF_OLD].len));
	put_property(out, "new runs", memory_format("%zu", diff->sides[DIFF_NEW].len));
	put_property(out, "alpha", memory_format("%g", diff->options.alpha));
	put_property(out, "threshold", memory_format("%g", diff->options.threshold));
	fputs("  </properties>\n", out);
}

static void put_note(const char *line, void *out)
{
	fputs("note: ", out);
	xml_text_put(out, line);
	fputc('\n', out);
}

/* Frees the line. */
static void put_line(FILE *out, char *line)
{
	if (line == NULL)
		return;
	xml_text_put(out, line);
	fputc('\n', out);
	free(line);
}

static void put_words(const struct diff *diff, FILE *out)
{
	fputs("  <system-out>", out);
	put_line(out, diff_words_total(diff));
	put_line(out, diff->has_throughput ? diff_words_throughput(diff) : NULL);
	put_line(out, diff_words_too_small(diff));
	diff_facts_compare(&diff->sides[DIFF_OLD].facts, &diff->sides[DIFF_NEW].facts, put_note, out);
	fputs("</system-out>\n  <system-err></system-err>\n", out);
}

void diff_junit(const struct diff *diff, FILE *out)
{
	struct test_case *cases = cases_of(diff), whole = {&diff->whole, name_of(&diff->whole), 1};
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n <testsuite name=\"stmlog diff\" id=\"0\""
	      " package=\"stmlog\" hostname=\"localhost\"",
		out);
	put_timestamp(&diff->sides[DIFF_NEW], out);
	put_counts(diff, out);
	fputs(">\n", out);
	put_properties(diff, out);
	put_case(diff, &whole, out);
	free(whole.name);
	for (size_t i = 0; i < diff->len; i++) {
		put_case(diff, &cases[i], out);
		free(cases[i].name);
	}
	for (size_t i = 0; i < diff->regions_len; i++)
		put_region(diff, diff->regions[i], out);
	put_words(diff, out);
	fputs(" </testsuite>\n</testsuites>\n", out);
	free(cases);
}
