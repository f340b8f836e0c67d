/* SPDX-License-Identifier: MIT
 * Prints the table of transactions that were blocked after a retry. Adds up the rows of sites by the place where they
 * begin, sorts them by the time blocked, and finds the entries that tell what they waited for. */
#include <string.h>

#include <stmlog/causes.h>

#include "number.h"
#include "printer.h"
#include "record_sums.h"
#include "recorded_account.h"
#include "report.h"
#include "report_memory.h"
#include "sort.h"
#include "utf8.h"

/* ---- rows by place ---- */

/* Sorts by time, the longest first. Rows of equal time stay in the order of the file, which `reserved` keeps. */
static uint64_t blocked_order(const void *row, unsigned rank, const void *arg)
{
	const struct blocked_row *blocked = row;
	(void)arg;
	return rank == 0 ? UINT64_MAX - blocked->record.blocked_ns : blocked->record.reserved;
}

/* The row of the place; adds a row of zeros if there is none. */
static struct blocked_row *blocked_row_of(struct blocked *all, uint32_t place)
{
	for (size_t i = 0; i < all->len; i++)
		if (all->rows[i].place == place)
			return &all->rows[i];
	all->rows[all->len] = (struct blocked_row){place, {.reserved = (uint32_t)all->len}, NULL, NULL};
	return &all->rows[all->len++];
}

/* ---- what they waited for ---- */

uint64_t blocked_address(const struct stmlog_entry_record *entry)
{
	size_t max = 0;
	for (size_t i = 1; i < RECORDING_OBJECTS; i++)
		if (entry->objects[i].count > entry->objects[max].count)
			max = i;
	return entry->objects[max].address;
}

/* The known wakes by transactions that begin at the place of the waker `i`. */
static uint64_t wakes_of_place(struct places *places, const struct stmlog_blocked_record *record, size_t i)
{
	uint64_t sum = 0;
	for (size_t k = 0; k < STMLOG_WAKERS; k++)
		if (record->wakers[k].count != 0 &&
			places_site(places, record->wakers[k].site) == places_site(places, record->wakers[i].site))
			sum += record->wakers[k].count;
	return sum;
}

struct blocked_waker blocked_waker(struct places *places, const struct blocked_row *row)
{
	struct blocked_waker most = {PLACE_UNKNOWN, 0};
	for (size_t i = 0; i < STMLOG_WAKERS && row->record.wakers[i].count != 0; i++) {
		uint64_t count = wakes_of_place(places, &row->record, i);
		if (count > most.count)
			most = (struct blocked_waker){places_site(places, row->record.wakers[i].site), count};
	}
	return most;
}

static bool is_retry(const struct recording *recording, const struct stmlog_entry_record *entry)
{
	return entry->reason == STMLOG_USER_ABORT && entry->site < recording->site_count &&
	       strncmp(recording_string(recording, entry->detail), "RETRY", strlen("RETRY")) == 0;
}

/* Of two entries, the second one if it comes first by its rank, or else by its count. */
static const struct stmlog_entry_record *preferred(const struct stmlog_entry_record *best, unsigned best_rank,
	const struct stmlog_entry_record *entry, unsigned rank)
{
	bool is_better = best == NULL || rank > best_rank || (rank == best_rank && entry->count > best->count);
	return is_better ? entry : best;
}

static unsigned waker_rank(struct places *places, const bool *begins, const struct blocked_row *row)
{
	return row->woken != NULL && !begins[places_innermost(places, row->woken->remote)];
}

static void blocked_add_entry(struct blocked_row *row, const struct recording *recording, struct places *places,
	const bool *begins, const struct stmlog_entry_record *entry)
{
	bool has_object = row->waits != NULL && blocked_address(row->waits) != 0;
	row->waits = preferred(row->waits, has_object, entry, blocked_address(entry) != 0);
	struct blocked_row with = {.woken = entry};
	if (recording_traceback(recording, entry->remote).len > 0)
		row->woken = preferred(
			row->woken, waker_rank(places, begins, row), entry, waker_rank(places, begins, &with));
}

static void blocked_add_entries(struct blocked *all, const struct recording *recording, struct places *places)
{
	bool *begins = all->len > 0 ? places_begins(places) : NULL;
	for (size_t i = 0; i < recording->entry_count && all->len > 0; i++) {
		const struct stmlog_entry_record *entry = &recording->entries[i];
		if (!is_retry(recording, entry))
			continue;
		for (size_t k = 0; k < all->len; k++)
			if (all->rows[k].place == places_site(places, entry->site))
				blocked_add_entry(&all->rows[k], recording, places, begins, entry);
	}
	memory_free(begins);
}

/* ---- all rows ---- */

struct blocked blocked_make(const struct recording *recording, struct places *places)
{
	struct blocked all = {memory_zeroed(recording->blocked_count, sizeof *all.rows), 0};
	for (size_t i = 0; i < recording->blocked_count; i++) {
		uint32_t site = recording->blocked[i].site;
		uint32_t place = site != STMLOG_NO_SITE ? places_site(places, site) : PLACE_UNKNOWN;
		blocked_record_add(&blocked_row_of(&all, place)->record, &recording->blocked[i]);
	}
	blocked_add_entries(&all, recording, places);
	sort(all.rows, all.len, sizeof *all.rows, blocked_order, 2, NULL);
	return all;
}

void blocked_fini(struct blocked *blocked)
{
	memory_free(blocked->rows);
	*blocked = (struct blocked){NULL, 0};
}

/* ---- the table ---- */

/* How often the runtime has found that nothing could wake one any more. */
static uint64_t times_for_ever(const struct recording *recording)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < recording->blocked_count; i++)
		sum += recording->blocked[i].for_ever;
	return sum;
}

static void print_blocked_heading(const struct report *report, const struct recorded_account *total)
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

static char *blocked_object_text(const struct report *report, const struct blocked_row *row)
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

static void print_blocked_row(const struct report *report, struct report_table *table, struct places *places,
	const struct blocked_row *blocked)
{
	char *name = report_spot(report, places, blocked->place), *waits = waits_text(report, places, blocked);
	char *object = blocked_object_text(report, blocked), *waker = waker_text(report, places, blocked);
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

static void print_blocked_rows(const struct report *report)
{
	static const struct table_column columns[] = {{"begin at", TABLE_PLACE}, {"blocked", TABLE_RIGHT},
		{"count", TABLE_RIGHT}, {"in vain", TABLE_RIGHT}, {"longest", TABLE_RIGHT}, {"waits at", TABLE_PLACE},
		{"for", TABLE_LEFT}, {"woken by", TABLE_PLACE}, {0}};
	struct places *places = places_create(report->recording, report->symbols);
	struct blocked all = blocked_make(report->recording, places);
	size_t shown = all.len < report->options.top ? all.len : report->options.top;
	struct report_table *table = report_table_create(report->out, columns);
	for (size_t i = 0; i < shown; i++)
		print_blocked_row(report, table, places, &all.rows[i]);
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
	print_blocked_heading(report, &total);
	if (report->recording->blocked_count != 0)
		print_blocked_rows(report);
	printer_text(report->out, "\n");
}
