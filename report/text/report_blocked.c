/* SPDX-License-Identifier: MIT
 * Prints the table of transactions that were blocked after a retry, by the places where they begin, with what they
 * waited for. */
#include "recorded_account.h"
#include "blocked.h"
#include "number.h"
#include "report.h"
#include "report_memory.h"
#include "report_table.h"
#include "utf8.h"

/* How often the runtime has found that nothing could wake one any more. */
static uint64_t times_for_ever(const struct recording *recording)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < recording->blocked_count; i++)
		sum += recording->blocked[i].for_ever;
	return sum;
}

static void print_heading(const struct report *report, const struct recorded_account *total)
{
	uint64_t count = account_times_blocked(total), in_vain = account_futile_wakes(total);
	uint64_t spurious = report->recording->info.blocked_spurious;
	printer_bold(report->out, "Blocked");
	printer_format(report->out, " after a retry: %s %s, %s in vain", number_count(count).text, report_times(count),
		number_count(in_vain).text);
	if (spurious != RECORDING_UNSAID && in_vain != 0)
		printer_format(report->out, ", %s of these spurious", number_count(spurious).text);
	uint64_t for_ever = times_for_ever(report->recording);
	if (for_ever != 0)
		printer_format(report->out, ", %s for ever", number_count(for_ever).text);
	printer_text(report->out, "; no loss\n");
	if (total->unattached != 0)
		printer_format(report->out, "of these by green threads: %s %s, %s; no part of the account\n",
			number_count(total->unattached).text, report_times(total->unattached),
			number_time(total->unattached_ns).text);
}

/* Where it has read what it waits for; NULL: that is not known, or is where the transaction begins. */
static char *waits_text(const struct report *report, struct places *places, const struct blocked_row *row)
{
	uint32_t place = row->waits != NULL ? places_innermost(places, row->waits->local) : PLACE_UNKNOWN;
	return place >= PLACE_FIRST && place != row->place ? report_spot(report, places, place) : NULL;
}

static char *object_text(const struct report *report, const struct blocked_row *row)
{
	uint64_t address = row->waits != NULL ? blocked_address(row->waits) : 0;
	char *name = address != 0 ? report_object_of(report, row->waits, address) : NULL;
	char *clean = name != NULL ? utf8_clean(name, UTF8_HIDE_CONTROLS) : NULL;
	memory_free(name);
	return clean;
}

static char *waker_text(const struct report *report, struct places *places, const struct blocked_row *row)
{
	if (row->woken != NULL)
		return report_spot(report, places, places_innermost(places, row->woken->remote));
	struct blocked_waker waker = blocked_waker(places, row);
	return waker.count != 0 ? report_spot(report, places, waker.place) : NULL;
}

static void print_row(const struct report *report, struct report_table *table, struct places *places,
	const struct blocked_row *blocked)
{
	char *name = report_spot(report, places, blocked->place), *waits = waits_text(report, places, blocked);
	char *object = object_text(report, blocked), *waker = waker_text(report, places, blocked);
	const struct stmlog_blocked_record *row = &blocked->record;
	struct estimate time = {.ns = estimate_whole(row->estimated_ns),
		.is_exact = !recording_is_sampled(report->recording) || row->estimated_ns <= (double)row->blocked_ns};
	struct number sum = estimate_point(&time), longest = number_time(row->longest_ns);
	struct number count = number_count(row->count), in_vain = number_count(row->in_vain);
	const char *cells[] = {name, sum.text, count.text, in_vain.text, longest.text, waits, object, waker};
	report_table_row(table, cells);
	memory_free(name);
	memory_free(waits);
	memory_free(object);
	memory_free(waker);
}

static void print_rows(const struct report *report)
{
	static const struct table_column columns[] = {{"begin at", TABLE_PLACE}, {"blocked", TABLE_RIGHT},
		{"count", TABLE_RIGHT}, {"in vain", TABLE_RIGHT}, {"longest", TABLE_RIGHT}, {"waits at", TABLE_PLACE},
		{"for", TABLE_LEFT}, {"woken by", TABLE_PLACE}, {0}};
	struct places *places = places_create(report->recording, report->symbols);
	struct blocked all = blocked_make(report->recording, places);
	size_t shown = all.len < report->options.top ? all.len : report->options.top;
	struct report_table *table = report_table_create(report->out, columns);
	for (size_t i = 0; i < shown; i++)
		print_row(report, table, places, &all.rows[i]);
	report_table_finish(&table);
	report_rest(report, all.len - shown, "--top=N");
	blocked_fini(&all);
	places_destroy(&places);
}

void report_blocked(const struct report *report)
{
	struct recorded_account total = account_total(report->recording);
	if (account_times_blocked(&total) == 0)
		return;
	print_heading(report, &total);
	if (report->recording->blocked_count != 0)
		print_rows(report);
	printer_text(report->out, "\n");
}
