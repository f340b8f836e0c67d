/* SPDX-License-Identifier: MIT
 * Prints who aborts whom, in a few lines after the entries. */
#include "blame.h"
#include "estimate.h"
#include "fit.h"
#include "number.h"
#include "report.h"
#include "report_memory.h"

enum { BRIEF = 5, WIDEST_PLACE = 28 };

static size_t widest(char *const *names, size_t len)
{
	size_t max = 0;
	for (size_t i = 0; i < len; i++) {
		size_t width = fit_width(names[i]);
		if (width <= WIDEST_PLACE && width > max)
			max = width;
	}
	return max;
}

/* On one line, or on two if one would be too long. */
static void print_pair(
	const struct report *report, const char *local, const char *loss, const char *remote, size_t width)
{
	size_t max = report->out->width != 0 ? report->out->width : FIT_USUAL, used = fit_width(local);
	size_t len = used > width ? used : width;
	printer_text(report->out, "  ");
	printer_marked(report->out, PRINTER_PLACE, local);
	if (len + fit_width(loss) + fit_width(remote) + 6 <= max)
		printer_spaces(report->out, len - used + 2);
	else
		printer_text(report->out, "\n      ");
	printer_text(report->out, loss);
	printer_text(report->out, "  ");
	printer_marked(report->out, PRINTER_CULPRIT, remote);
	printer_text(report->out, "\n");
}

static void print_lines(const struct report *report, const struct places *places, const struct tally *pairs, size_t len)
{
	bool is_sampled = recording_is_sampled(report->recording);
	const char *measured = is_sampled ? " measured" : "", *comma = is_sampled ? "," : "";
	char *locals[BRIEF];
	for (size_t i = 0; i < len; i++)
		locals[i] = report_spot(report, places, (uint32_t)pairs->rows[i]->key[0]);
	size_t width = widest(locals, len);
	for (size_t i = 0; i < len; i++) {
		const struct tally_sum *sum = &pairs->rows[i]->sum;
		char *remote = report_spot(report, places, (uint32_t)pairs->rows[i]->key[1]);
		char *loss = memory_format("lost %s%s %s %s%s to", estimate_in_a_line(report->recording, sum).text,
			comma, number_count(sum->count).text, report_times(sum->count), measured);
		print_pair(report, locals[i], loss, remote, width);
		memory_free(loss);
		memory_free(remote);
		memory_free(locals[i]);
	}
}

static void print_wasted(const struct report *report)
{
	const struct recording_info *info = &report->recording->info;
	if (info->wasted_aborts == 0)
		return;
	printer_format(report->out, "for nothing, the culprit aborted too: %s (%s), %s %s%s",
		number_time(info->wasted_ns).text,
		number_share(info->wasted_ns, recording_total(report->recording).lost_ns).text,
		number_count(info->wasted_aborts).text, report_times(info->wasted_aborts),
		recording_is_sampled(report->recording) ? " measured" : "");
	if (info->undecided_aborts != 0)
		printer_format(report->out, "; undecided: %s", number_count(info->undecided_aborts).text);
	printer_text(report->out, "\n");
}

/* Whether any culprit has a place. Without one, pairs say no more than the entries. */
static bool knows_anybody(const struct tally *pairs)
{
	for (size_t i = 0; i < pairs->len; i++)
		if (pairs->rows[i]->key[1] >= PLACE_FIRST)
			return true;
	return false;
}

void report_pairs_briefly(const struct report *report)
{
	struct places *places = places_create(report->recording, report->symbols);
	struct tally pairs = blame_pairs(report->recording, places, TALLY_LOST);
	size_t shown = report_shown(report, &pairs), known = tally_known(&pairs, report->options.sort);
	if (shown > BRIEF)
		shown = BRIEF;
	if (shown > 0 && knows_anybody(&pairs)) {
		printer_text(report->out, "\n");
		printer_bold(report->out, "Who aborts whom\n");
		print_lines(report, places, &pairs, shown);
		report_rest(report, known - shown, "--by=pair");
		report_too_few(report, &pairs, "pair", "pairs");
		print_wasted(report);
	}
	tally_drop(&pairs);
	places_destroy(&places);
}
