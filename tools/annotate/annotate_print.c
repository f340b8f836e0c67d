/* SPDX-License-Identifier: MIT
 * Prints functions as listings. A line of source begins behind the figures, and is cut at the width. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate.h"
#include "check.h"
#include "memory.h"
#include "number.h"
#include "source_file.h"
#include "utf8.h"

enum { MIN_WIDTH = 58, FIGURES = 45, TAB = 4 };

struct listing {
	const struct annotate *annotate;
	const struct annotate_options *options;
	const struct printer *out;
	size_t width;
	uint64_t hot_ns; /* a line of so much is marked */
	bool has_few;    /* a figure was left out because too few losses were measured */
};

/* ---- text within the width ---- */

/* Prints so much of the text as there is room for. Requires more than three columns. */
static void put_cut(const struct listing *listing, const char *text, size_t columns)
{
	REQUIRES(columns > 3);
	char *clean = utf8_clean(text, UTF8_HIDE_CONTROLS);
	bool is_cut = clean[fit_bytes(clean, columns)] != '\0';
	if (is_cut)
		clean[fit_bytes(clean, columns - 3)] = '\0';
	printer_text(listing->out, clean);
	printer_text(listing->out, is_cut ? "..." : "");
	free(clean);
}

/* Frees the text. */
static void put_line(const struct listing *listing, char *text)
{
	put_cut(listing, text, listing->width);
	printer_text(listing->out, "\n");
	free(text);
}

/* A copy with spaces for tabs, without spaces at its end, of at most so many columns. The caller frees it. */
static char *expanded(const char *text, size_t columns)
{
	size_t len = 0, widest = TAB * strlen(text);
	columns = columns < widest ? columns : widest;
	char *copy = memory_zeroed(4 * columns + TAB + 1, 1);
	for (size_t column = 0; *text != '\0' && *text != '\r' && column < columns; text++) {
		const bool is_tab = *text == '\t';
		const char *shown = is_tab ? " " : text;
		do {
			copy[len++] = *shown;
			column += ((unsigned char)*text & 0xc0) != 0x80;
		} while (is_tab && column % TAB != 0);
		/* Bytes that continue no character have no end. */
		if (len >= 4 * columns)
			break;
	}
	while (len > 0 && copy[len - 1] == ' ')
		len--;
	copy[len] = '\0';
	return copy;
}

/* ---- figures ---- */

/* "" for nothing; "few" if too few were measured to say. */
static struct number time_of(struct listing *listing, const struct tally_sum *sum)
{
	struct number text = {""};
	if (sum->count == 0)
		return text;
	if (estimate_is_too_few(listing->annotate->recording, sum->count)) {
		listing->has_few = true;
		return (struct number){"few"};
	}
	return number_time(estimate_of(listing->annotate->recording, sum).ns);
}

static struct number share_of(const struct listing *listing, const struct tally_sum *sum)
{
	const struct recording *recording = listing->annotate->recording;
	if (sum->count == 0 || estimate_is_too_few(recording, sum->count))
		return (struct number){""};
	return estimate_share(recording, sum);
}

static bool is_hot(const struct listing *listing, const struct annotate_line *line)
{
	const struct recording *recording = listing->annotate->recording;
	for (int role = 0; role < ANNOTATE_ROLES; role++) {
		const struct tally_sum *sum = &line->sums[role];
		bool is_known = sum->count > 0 && !estimate_is_too_few(recording, sum->count);
		if (is_known && estimate_of(recording, sum).ns >= listing->hot_ns)
			return true;
	}
	return false;
}

/* `line` NULL: the line has no figures. `text` NULL: there is none. */
static void print_line(struct listing *listing, const struct annotate_line *line, uint32_t number, const char *text)
{
	static const struct annotate_line none = {.line = 0};
	const struct annotate_line *figures = line != NULL ? line : &none;
	bool is_marked = line != NULL && is_hot(listing, line);
	printer_format(listing->out, "%c%9s %7s %10s %7s %5" PRIu32, is_marked ? '>' : ' ',
		time_of(listing, &figures->sums[ANNOTATE_LOST]).text,
		share_of(listing, &figures->sums[ANNOTATE_LOST]).text,
		time_of(listing, &figures->sums[ANNOTATE_LED]).text,
		share_of(listing, &figures->sums[ANNOTATE_LED]).text, number);
	char *shown = text != NULL ? expanded(text, listing->width - FIGURES) : memory_text("");
	char *clean = utf8_clean(shown, UTF8_HIDE_CONTROLS);
	clean[fit_bytes(clean, listing->width - FIGURES)] = '\0';
	printer_text(listing->out, clean[0] != '\0' ? "  " : "");
	if (is_marked)
		printer_bold(listing->out, clean);
	else
		printer_text(listing->out, clean);
	printer_text(listing->out, "\n");
	free(shown);
	free(clean);
}

/* ---- a function ---- */

static uint32_t end_of(const struct annotate_line *line)
{
	return line->last_line != 0 ? line->last_line : line->line;
}

/* Whether the line is near one with figures, or near where the function begins, and not before that. */
static bool is_near(const struct listing *listing, const struct annotate_function *function, uint64_t number)
{
	const struct annotate_line *lines = function->lines;
	uint32_t context = listing->options->context, first = function->first_line;
	if (number < first && first <= lines[0].line)
		return false;
	if (first != 0 && number >= first && number - first <= context)
		return true;
	for (size_t i = 0; i < function->len; i++)
		if (lines[i].line != 0 && number + context >= lines[i].line &&
			number <= (uint64_t)end_of(&lines[i]) + context)
			return true;
	return false;
}

/* Figures of one of several lines, of which it is not known which one has them. */
static void print_range(struct listing *listing, const struct annotate_line *line)
{
	char *words = memory_format("(one of the lines %" PRIu32 "-%" PRIu32 ")", line->line, line->last_line);
	print_line(listing, line, line->line, words);
	free(words);
}

static void print_source(
	struct listing *listing, const struct annotate_function *function, const struct source_text *source)
{
	size_t next = 0;
	bool is_after_gap = false;
	for (uint32_t number = 1; number <= source->len; number++) {
		while (next < function->len && function->lines[next].line < number)
			next++;
		if (!is_near(listing, function, number)) {
			is_after_gap = true;
			continue;
		}
		if (is_after_gap && number > function->first_line && next > 0)
			printer_format(listing->out, "%*s\n", FIGURES - 2, "...");
		is_after_gap = false;
		for (; next < function->len && function->lines[next].line == number &&
			function->lines[next].last_line != 0;
			next++)
			print_range(listing, &function->lines[next]);
		bool has_figures = next < function->len && function->lines[next].line == number;
		print_line(listing, has_figures ? &function->lines[next] : NULL, number, source->lines[number - 1]);
	}
}

/* The lines that the source does not have: all of them, where there is no source. */
static void print_figures(struct listing *listing, const struct annotate_function *function, size_t source_len)
{
	for (size_t i = 0; i < function->len; i++) {
		const struct annotate_line *line = &function->lines[i];
		if (line->line != 0 && line->line <= source_len)
			continue;
		if (line->last_line != 0)
			print_range(listing, line);
		else
			print_line(listing, line, line->line, source_len > 0 ? "(the source has no such line)" : NULL);
	}
}

/* Why there is no text; NULL: there is. The caller frees it. */
static char *read_source(
	const struct listing *listing, const struct annotate_function *function, struct source_text *source)
{
	*source = (struct source_text){.len = 0};
	if (function->path == NULL)
		return memory_text("no source is known; compile with -g to have lines");
	char *found = source_find(function->path, listing->options->srcdir);
	if (found == NULL)
		return memory_text("the source is not there; --srcdir=DIR looks for it below DIR");
	const char *fault = source_read(source, found);
	char *why = fault != NULL ? memory_format("the source cannot be read: %s", fault) : NULL;
	free(found);
	return why;
}

/* Whether the source was written after the program ran. */
static bool is_newer(const struct listing *listing, const struct annotate_function *function)
{
	char *found = function->path != NULL ? source_find(function->path, listing->options->srcdir) : NULL;
	bool is_found_newer = found != NULL && source_is_newer(found, listing->annotate->recording->info.unix_ns);
	free(found);
	return is_found_newer;
}

static void print_sum(struct listing *listing, const char *words, const struct tally_sum *sum)
{
	const struct recording *recording = listing->annotate->recording;
	if (sum->count == 0)
		return;
	put_line(listing, memory_format("%s %s, %s", words, estimate_text(recording, sum).text,
				  estimate_share(recording, sum).text));
}

/* What the transactions that begin at the line lost, and others to them, unless the function has the same sums. */
static void print_whole(
	struct listing *listing, const struct annotate_function *function, const struct annotate_line *line)
{
	const struct tally_sum *lost = &line->sums[ANNOTATE_WHOLE_LOST], *led = &line->sums[ANNOTATE_WHOLE_LED];
	bool is_same =
		lost->count == function->sums[ANNOTATE_LOST].count && led->count == function->sums[ANNOTATE_LED].count;
	if (is_same || (lost->count == 0 && led->count == 0))
		return;
	put_line(listing, memory_format("  the transaction of line %" PRIu32 ", with all that it calls", line->line));
	print_sum(listing, "    lost", lost);
	print_sum(listing, "    others lost to it", led);
}

static void print_heading(struct listing *listing, const struct annotate_function *function)
{
	char *path = function->path != NULL ? source_relative(function->path, ".") : memory_text("(no source)");
	char line[16] = "";
	if (function->first_line != 0)
		snprintf(line, sizeof line, ":%" PRIu32, function->first_line);
	printer_text(listing->out, "\n");
	put_line(listing, memory_format("%s%s  %s", path, line, function->name));
	free(path);
	print_sum(listing, "  lost", &function->sums[ANNOTATE_LOST]);
	print_sum(listing, "  others lost to it", &function->sums[ANNOTATE_LED]);
	for (size_t i = 0; i < function->len; i++)
		print_whole(listing, function, &function->lines[i]);
}

static void print_function(struct listing *listing, const struct annotate_function *function)
{
	struct source_text source;
	char *why = read_source(listing, function, &source);
	print_heading(listing, function);
	if (why != NULL)
		put_line(listing, memory_format("  %s", why));
	else if (is_newer(listing, function))
		put_line(listing, memory_text("  the source is newer than the recording: lines may have moved"));
	printer_format(listing->out, " %9s %7s %10s %7s %5s\n", "lost", "share", "lost to it", "share", "line");
	if (source.len > 0)
		print_source(listing, function, &source);
	print_figures(listing, function, source.len);
	source_fini(&source);
	free(why);
}

/* ---- the whole ---- */

static void print_rest(struct listing *listing, size_t left_out)
{
	const struct recording *recording = listing->annotate->recording;
	const struct tally_sum *unknown = &listing->annotate->unknown;
	if (listing->has_few)
		put_line(listing,
			memory_format("few: fewer than %d losses were measured, too few to say", ESTIMATE_MIN_LOSSES));
	if (left_out > 0)
		put_line(listing, memory_format("%zu more function%s: --top=N, or 'stmlog annotate FUNCTION'", left_out,
					  left_out == 1 ? "" : "s"));
	if (unknown->count > 0)
		put_line(listing, memory_format("at no known place: %s", estimate_text(recording, unknown).text));
	if (recording->evicted_count > 0)
		put_line(listing, memory_format("evicted: %s", estimate_text_evicted(recording).text));
}

void annotate_print(const struct annotate *annotate, const struct annotate_options *options, const struct printer *out)
{
	struct listing listing = {.annotate = annotate, .options = options, .out = out};
	listing.width = fit_limit(out->width) < MIN_WIDTH ? MIN_WIDTH : fit_limit(out->width);
	listing.hot_ns = estimate_of_total(annotate->recording).ns / 10 + 1;
	size_t shown = annotate->len < options->top ? annotate->len : options->top;
	put_line(&listing, memory_format("lost: %s; lines with a tenth of it or more are marked >",
				   estimate_text_total(annotate->recording).text));
	for (size_t i = 0; i < shown; i++)
		print_function(&listing, &annotate->functions[i]);
	printer_text(out, "\n");
	print_rest(&listing, annotate->len - shown);
}
