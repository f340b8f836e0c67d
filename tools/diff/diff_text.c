/* SPDX-License-Identifier: MIT
 * Prints a comparison as text: whether the sides are comparable, the whole, the keys, the regions, the verdict. No line
 * is wider than the terminal. Elsewhere lines are broken at 80 columns, and nothing is cut. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"
#include "diff_words.h"
#include "memory.h"
#include "output.h"
#include "utf8.h"

enum { MIN_WIDTH = 40, INDENT = 5, MAX_LINES = 4 };

/* ---- lines ---- */

static size_t width_of(const struct printer *out)
{
	size_t width = out->width;
	return width == 0 ? FIT_USUAL : width < MIN_WIDTH ? MIN_WIDTH : width;
}

/* Prints the text of a meaning behind so many spaces, folded at the width; the lines behind the first are indented
 * more. A text of too many lines is cut where a width is known. Frees the text. */
static void print_folded_as(const struct printer *out, enum printer_meaning meaning, size_t indent, char *text)
{
	const size_t width = width_of(out);
	const int max = out->width != 0 ? MAX_LINES : INT_MAX;
	char *at = text;
	for (int line = 0; *at != '\0' && line < max; line++) {
		size_t spaces = indent + (line > 0 ? 4 : 0), room = width - spaces;
		bool is_last = line + 1 == max;
		size_t len = is_last ? strlen(fit_cut(at, room)) : fit_part(at, room);
		char *part = memory_format("%.*s", (int)len, at);
		printer_spaces(out, spaces);
		if (meaning != PRINTER_PLAIN)
			printer_marked(out, meaning, part);
		else
			printer_text(out, part);
		printer_text(out, "\n");
		free(part);
		at += len;
		at += strspn(at, " ");
	}
	free(text);
}

static void print_folded(const struct printer *out, size_t indent, char *text)
{
	print_folded_as(out, PRINTER_PLAIN, indent, text);
}

static void print_note(const char *line, void *out)
{
	print_folded(out, 0, utf8_cleaned(memory_format("note: %s", line)));
}

/* ---- the whole ---- */

static void print_whole(const struct diff *diff, const struct printer *out)
{
	print_folded(out, 0, diff_words_total(diff));
	if (diff->has_throughput)
		print_folded(out, 0, diff_words_throughput(diff));
	printer_text(out, "\n");
}

/* A single run has no interval, and so no confidence. */
static char *medians_text(const struct diff_row *whole)
{
	const struct statistics_median *old = &whole->median[DIFF_OLD], *new = &whole->median[DIFF_NEW];
	struct number old_text = diff_words_median(whole, DIFF_OLD), new_text = diff_words_median(whole, DIFF_NEW);
	if (old->confidence <= 0 || new->confidence <= 0)
		return memory_format("medians: old %s, new %s", old_text.text, new_text.text);
	return memory_format("medians: old %s, new %s; intervals with a confidence of %.1f %% and %.1f %%",
		old_text.text, new_text.text, 100 * old->confidence, 100 * new->confidence);
}

static void print_basis(const struct diff *diff, const struct printer *out)
{
	size_t old = diff->sides[DIFF_OLD].len, new = diff->sides[DIFF_NEW].len;
	const struct diff_row *whole = &diff->whole;
	printer_format(out, "OLD %zu run%s, NEW %zu run%s: %s\n", old, old == 1 ? "" : "s", new, new == 1 ? "" : "s",
		diff_unit(diff));
	if (diff->is_per_second)
		printer_text(out, "(not every run has commits)\n");
	print_folded(out, 0, medians_text(whole));
	print_folded(out, 0,
		memory_format("alpha %g, %zu key%s; threshold %g %%", diff->options.alpha, diff->len,
			diff->len == 1 ? "" : "s", 100 * diff->options.threshold));
}

/* ---- keys ---- */

static void print_names(const struct diff_key *key, const struct printer *out)
{
	enum { CALLERS = 2 };
	if (key->is_evicted) {
		print_folded(out, INDENT, memory_text("(evicted)"));
		return;
	}
	char *remote = diff_words_place(&key->remote, CALLERS), *cause = diff_words_cause(key);
	print_folded_as(out, PRINTER_PLACE, INDENT, diff_words_place(&key->local, CALLERS));
	print_folded_as(out, PRINTER_CULPRIT, INDENT, memory_format("blocked by %s", remote));
	print_folded_as(out, PRINTER_CAUSE, INDENT, memory_text(cause));
	free(remote);
	free(cause);
}

static void print_figures(const struct diff *diff, const struct diff_row *row, size_t number, const struct printer *out)
{
	const char *verdict = diff_words_verdict(diff, row);
	printer_format(out, "\n%3zu. %9s -> %9s  %8s%s%s%s\n", number,
		diff_words_value(row, row->median[DIFF_OLD].value).text,
		diff_words_value(row, row->median[DIFF_NEW].value).text, diff_words_change(row).text,
		diff_words_p(diff, "  p ", row->p).text, verdict[0] != '\0' ? "  " : "", verdict);
}

static void print_key(const struct diff *diff, const struct diff_row *row, size_t number, const struct printer *out)
{
	print_figures(diff, row, number, out);
	print_names(diff_words_key(row), out);
}

static void print_keys(const struct diff *diff, const struct printer *out)
{
	const struct diff_row **order = diff_words_order(diff);
	size_t shown = diff_words_shown(diff, order);
	for (size_t i = 0; i < shown; i++)
		print_key(diff, order[i], i + 1, out);
	if (shown < diff->len)
		printer_format(out, "\n%zu more key%s: --top=%zu\n", diff->len - shown,
			diff->len - shown == 1 ? "" : "s", diff->len);
	free(order);
}

/* ---- regions ---- */

static void print_region(
	const struct diff *diff, const struct diff_region *region, size_t number, const struct printer *out)
{
	const struct diff_row *row = &region->judged;
	const char *why = diff_words_region_undecided(diff, region);
	char *tag = diff_words_tag(region);
	print_figures(diff, row, number, out);
	print_folded_as(out, PRINTER_PLACE, INDENT, memory_format("%s: %s", tag, diff_words_unit(diff, row)));
	print_folded(out, INDENT, diff_words_region_sums(region));
	if (why != NULL)
		print_folded(out, INDENT, memory_text(why));
	free(tag);
}

static void print_regions(const struct diff *diff, const struct printer *out)
{
	size_t len = diff->regions_len, shown = len < diff->options.top ? len : diff->options.top;
	if (len == 0)
		return;
	printer_format(out, "\nRegions: %zu tag%s, medians of the runs\n", len, len == 1 ? "" : "s");
	for (size_t i = 0; i < shown; i++)
		print_region(diff, diff->regions[i], i + 1, out);
	if (shown < len)
		printer_format(out, "\n%zu more tag%s: --top=%zu\n", len - shown, len - shown == 1 ? "" : "s", len);
}

/* ---- the verdict ---- */

/* Frees `name`. */
static void print_worse(const struct diff *diff, const struct diff_row *row, char *name, const struct printer *out)
{
	char *figures = diff_words_figures(diff, row);
	print_folded_as(out, PRINTER_LOSS, 0, memory_format("regression: %s: %s", name, figures));
	free(figures);
	free(name);
}

static void print_worse_pairs(const struct diff *diff, const struct printer *out)
{
	size_t shown_pairs = 0;
	for (size_t i = 0; i < diff->pairs_len; i++) {
		if (diff->pairs[i].verdict == DIFF_WORSE && shown_pairs++ < diff->options.top)
			print_worse(diff, &diff->pairs[i], diff_words_pair(&diff->pairs[i]), out);
	}
}

static void print_worse_keys(const struct diff *diff, const struct printer *out)
{
	const struct diff_row **order = diff_words_order(diff);
	size_t worse = 0;
	for (; worse < diff->len && order[worse]->verdict == DIFF_WORSE; worse++) {
		if (worse < diff->options.top)
			print_worse(diff, order[worse], diff_words_name(diff_words_key(order[worse])), out);
	}
	if (worse > diff->options.top)
		printer_format(out, "%zu more regressions: --top=%zu\n", worse - diff->options.top, worse);
	free(order);
}

/* Those that are worse come first. */
static void print_worse_regions(const struct diff *diff, const struct printer *out)
{
	for (size_t i = 0; i < diff->regions_len && diff->regions[i]->judged.verdict == DIFF_WORSE; i++) {
		const struct diff_row *row = &diff->regions[i]->judged;
		char *tag = diff_words_tag(diff->regions[i]);
		print_worse(diff, row, memory_format("region %s, %s", tag, diff_words_unit(diff, row)), out);
		free(tag);
	}
}

static void print_regressions(const struct diff *diff, const struct printer *out)
{
	if (diff->whole.verdict == DIFF_WORSE) {
		print_worse(diff, &diff->whole, memory_text("total"), out);
		print_worse_pairs(diff, out);
	}
	print_worse_keys(diff, out);
	print_worse_regions(diff, out);
}

static void print_verdict(const struct diff *diff, const struct printer *out)
{
	printer_text(out, "\n");
	if (!diff->is_decided) {
		print_folded(out, 0, diff_words_undecided(diff));
		return;
	}
	char *too_small = diff_words_too_small(diff);
	if (too_small != NULL)
		print_folded(out, 0, too_small);
	if (diff->worse == 0)
		printer_text(out, "no regression\n");
	print_regressions(diff, out);
}

void diff_text(const struct diff *diff, FILE *out)
{
	struct printer printer = text_printer(out);
	diff_facts_compare(&diff->sides[DIFF_OLD].facts, &diff->sides[DIFF_NEW].facts, print_note, &printer);
	print_whole(diff, &printer);
	print_basis(diff, &printer);
	print_keys(diff, &printer);
	print_regions(diff, &printer);
	print_verdict(diff, &printer);
}

void diff_text_verdict(const struct diff *diff, FILE *out)
{
	struct printer to = file_printer(out), lines = {.write = to.write, .arg = to.arg, .width = SIZE_MAX};
	print_whole(diff, &lines);
	print_verdict(diff, &lines);
}
