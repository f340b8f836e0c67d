/* SPDX-License-Identifier: MIT
 * Names and table of the green threads. GHC is the only runtime that has any, so they are Haskell threads here. */
#include <inttypes.h>

#include "number.h"
#include "report.h"
#include "report_memory.h"
#include "report_table.h"
#include "sort.h"
#include "utf8.h"

enum { AT_A_GLANCE = 8 };

/* `17 "reader"`, `17`, or of several threads `"reader"`. */
static char *name_of(const struct stmlog_green_record *green)
{
	char *label = utf8_clean(green->label, UTF8_HIDE_CONTROLS);
	char *quoted = label[0] != '\0' ? memory_format("\"%s\"", label) : memory_text("");
	char *name = green->id != 0 ? memory_format("%" PRIu64 "%s%s", green->id, label[0] != '\0' ? " " : "", quoted)
				    : memory_text(quoted);
	memory_free(quoted);
	memory_free(label);
	return name;
}

char *report_green(const struct report *report, uint16_t number)
{
	const struct stmlog_green_record *green = recording_green(report->recording, number);
	char *name = green != NULL ? name_of(green) : NULL;
	char *text = name != NULL ? memory_format(" (Haskell %s)", name) : memory_text("");
	memory_free(name);
	return text;
}

/* Threads that lose and those because of which others lose come first. */
static uint64_t by_loss(const void *element, unsigned rank, const void *arg)
{
	const struct stmlog_green_record *green = *(const struct stmlog_green_record *const *)element;
	(void)rank;
	(void)arg;
	return UINT64_MAX - (green->estimated_ns + green->led_estimated_ns);
}

/* The records that have any loss. Returns how many there are. */
static size_t sorted(const struct recording *recording, const struct stmlog_green_record **rows)
{
	size_t len = 0;
	for (size_t i = 0; i < recording->green_count; i++)
		if ((recording->green[i].count | recording->green[i].led_count) != 0)
			rows[len++] = &recording->green[i];
	sort(rows, len, sizeof *rows, by_loss, 1, NULL);
	return len;
}

static void add_row(struct report_table *table, const struct stmlog_green_record *green)
{
	char *name = name_of(green);
	struct number lost = number_time(green->estimated_ns), count = number_count(green->count);
	struct number led = number_time(green->led_estimated_ns), led_count = number_count(green->led_count);
	const char *cells[] = {name, lost.text, count.text, led.text, led_count.text};
	report_table_row(table, cells);
	memory_free(name);
}

void report_greens(const struct report *report)
{
	static const struct table_column columns[] = {{"thread", TABLE_LEFT}, {"lost", TABLE_LOSS},
		{"count", TABLE_RIGHT}, {"made others lose", TABLE_RIGHT}, {"count", TABLE_RIGHT}, {0}};
	const struct recording *recording = report->recording;
	const struct stmlog_green_record **rows = memory_zeroed(recording->green_count, sizeof *rows);
	size_t len = sorted(recording, rows);
	size_t shown = report->options.is_full || len <= AT_A_GLANCE ? len : AT_A_GLANCE;
	if (len != 0)
		printer_bold(report->out, "Haskell threads\n");
	struct report_table *table = report_table_create(report->out, columns);
	for (size_t i = 0; i < shown; i++)
		add_row(table, rows[i]);
	report_table_finish(&table);
	report_rest(report, len - shown, "--full");
	if (len != 0)
		printer_text(report->out, recording_is_sampled(recording)
						  ? "counts are of measured conflicts, times are estimates\n\n"
						  : "\n");
	memory_free(rows);
}
