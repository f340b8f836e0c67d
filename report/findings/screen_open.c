/* SPDX-License-Identifier: MIT
 * Prints two lines for each open wait or transaction: what is open, and the transaction that is in its way. */
#include "screen_open.h"

#include <inttypes.h>

#include "cut_name.h"
#include "number.h"
#include "open_kind.h"
#include "report_frames.h"
#include "report_memory.h"
#include "utf8.h"

enum { SHOWN_MAX = 3 };

/* ", bank.c:61 transfer"; "" if the site is not known. */
static char *place_behind_comma(const struct report *report, uint32_t site)
{
	if (site == STMLOG_NO_SITE)
		return memory_text("");
	char *spot = report_spot_of(report, symbols_site(report->symbols, site)->frames);
	char *place = utf8_cleaned(memory_format(", %s", spot));
	memory_free(spot);
	return place;
}

/* Frees the text. */
static void print_line(const struct report *report, char *text, size_t width)
{
	printer_format(report->out, "%s\n", cut_name(text, width));
	memory_free(text);
}

/* "open 12.10 s: commit of thread 2, bank.c:61 transfer" */
static void print_what(const struct report *report, const struct stmlog_open_record *open, size_t width)
{
	const char *kind = open_kind_name(open->kind);
	char *place = place_behind_comma(report, open->site);
	print_line(report,
		memory_format("open %s: %s of thread %" PRIu32 "%s", number_time(open->open_ns).text,
			kind != NULL ? kind : "work", open->thread, place),
		width);
	memory_free(place);
}

/* "    because of thread 1, bank.c:85 audit (candidate)" */
static void print_because(const struct report *report, const struct stmlog_open_record *open, size_t width)
{
	char *place = place_behind_comma(report, open->other_site);
	print_line(report,
		memory_format("    because of thread %" PRIu32 "%s (%s)", open->other_thread, place,
			stmlog_grade_name(open->grade)),
		width);
	memory_free(place);
}

size_t screen_open_print(const struct report *report, size_t width)
{
	size_t len = report->recording->open_count, lines = 0;
	for (size_t i = 0; i < len && (i < SHOWN_MAX || report->options.is_full); i++) {
		const struct stmlog_open_record *open = &report->recording->open[i];
		bool has_other = open->other_thread != 0;
		print_what(report, open, width);
		if (has_other)
			print_because(report, open, width);
		lines += has_other ? 2 : 1;
	}
	return lines;
}
