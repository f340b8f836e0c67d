/* SPDX-License-Identifier: MIT
 * The tables of losses by place, by object, by thread and by cause. */
#include <stdlib.h>

#include <stmlog/causes.h>

#include "estimate.h"
#include "loss_sums.h"
#include "memory.h"
#include "number.h"
#include "report_table.h"
#include "report_views.h"
#include "utf8.h"

/* ---- places ---- */

static char *site_name(const struct report *report, const struct places *places, uint64_t key)
{
	return key != LOSS_SUMS_EVICTED ? report_spot(report, places, (uint32_t)key) : memory_text("(evicted)");
}

static void site_row(
	const struct report *report, struct report_table *table, const char *name, const struct tally_row *row)
{
	const struct tally_sum *sum = &row->sum;
	bool is_evicted = row->key[0] == LOSS_SUMS_EVICTED;
	struct number lost = estimate_text(report->recording, sum), share = estimate_share(report->recording, sum);
	struct number count = number_count(sum->count), longest = number_time(sum->longest_ns);
	struct number wasted = number_time(sum->wasted_ns), culprits = number_count(row->parts);
	struct number descheduled = number_time(sum->descheduled_ns);
	const char *cells[] = {name, lost.text, share.text, count.text, is_evicted ? "-" : longest.text,
		is_evicted ? "-" : wasted.text, is_evicted ? "-" : culprits.text, is_evicted ? "-" : descheduled.text};
	report_table_row(table, cells);
}

void report_sites(const struct report *report)
{
	static const struct table_column columns[] = {{"where", TABLE_PLACE}, {"lost", TABLE_LOSS},
		{"share", TABLE_RIGHT}, {"count", TABLE_RIGHT}, {"longest", TABLE_RIGHT}, {"for nothing", TABLE_RIGHT},
		{"culprits", TABLE_RIGHT}, {"descheduled", TABLE_RIGHT}, {0}};
	struct places *places = places_create(report->recording, report->symbols);
	struct tally sites = loss_sums_by_site(report->recording, places, report->options.sort);
	size_t shown = report_shown(report, &sites);
	report_heading(report, "Where time was lost:", &sites, shown);
	struct report_table *table = report_table_create(report->out, columns);
	for (size_t i = 0; i < shown; i++) {
		char *name = site_name(report, places, sites.rows[i]->key[0]);
		site_row(report, table, name, sites.rows[i]);
		free(name);
	}
	report_table_finish(&table);
	report_ends(report, &sites, shown, "place", "places");
	tally_drop(&sites);
	places_destroy(&places);
}

/* ---- objects: what was lost over each, and how much of that by false conflicts ---- */

static void object_row(
	const struct report *report, struct report_table *table, const char *name, const struct tally_sum *sum)
{
	struct number lost = estimate_text(report->recording, sum), share = estimate_share(report->recording, sum);
	struct number count = number_count(sum->count), false_conflicts = number_count(sum->false_conflicts);
	struct number false_share = number_share(sum->false_conflicts, sum->count);
	struct number descheduled = number_time(sum->descheduled_ns);
	const char *cells[] = {
		name, lost.text, share.text, count.text, false_conflicts.text, false_share.text, descheduled.text};
	report_table_row(table, cells);
}

void report_by_object(const struct report *report)
{
	static const struct table_column columns[] = {{"object", TABLE_PLACE}, {"lost", TABLE_LOSS},
		{"share", TABLE_RIGHT}, {"count", TABLE_RIGHT}, {"false", TABLE_RIGHT}, {"of count", TABLE_RIGHT},
		{"descheduled", TABLE_RIGHT}, {0}};
	struct named_sums objects = object_sums(report);
	size_t shown = report_shown(report, &objects.tally);
	report_heading(report, "What was fought over:", &objects.tally, shown);
	struct report_table *table = report_table_create(report->out, columns);
	for (size_t i = 0; i < shown; i++) {
		const struct tally_row *row = objects.tally.rows[i];
		char *name = utf8_clean(named_sums_name(&objects, row), UTF8_HIDE_CONTROLS);
		object_row(report, table, name, &row->sum);
		free(name);
	}
	report_table_finish(&table);
	report_ends(report, &objects.tally, shown, "object", "objects");
	printer_text(report->out, "counts are what is known of each at least, and times are shared out by them\n");
	named_sums_fini(&objects);
}

/* ---- threads ---- */

static char *thread_name(const struct report *report, const struct stmlog_thread_record *thread)
{
	if (thread->id == 0)
		return memory_text("(all others)");
	return utf8_clean(recording_string(report->recording, thread->name), UTF8_HIDE_CONTROLS);
}

static void print_row(const struct report *report, struct report_table *table, const struct places *places,
	const struct loss_sums_thread *row)
{
	char *name = thread_name(report, row->thread);
	char *place = row->place_ns > 0 ? report_spot(report, places, row->place) : memory_text("-");
	uint64_t all_ns = estimate_of_total(report->recording).ns;
	struct number id = number_count(row->thread->id), lost = estimate_number(&row->lost);
	struct number share = number_share(row->lost.ns, all_ns), count = number_count(row->sum.count);
	struct number descheduled = number_time(row->sum.descheduled_ns);
	struct number longest = number_time(row->sum.longest_ns), led = number_time(row->led_ns);
	struct number min = number_time(row->led_min_ns);
	const char *cells[] = {id.text, name, lost.text, share.text, count.text, longest.text, descheduled.text, place,
		min.text, led.text};
	report_table_row(table, cells);
	free(place);
	free(name);
}

void report_by_thread(const struct report *report)
{
	static const struct table_column columns[] = {{"id", TABLE_RIGHT}, {"thread", TABLE_LEFT}, {"lost", TABLE_LOSS},
		{"share", TABLE_RIGHT}, {"count", TABLE_RIGHT}, {"longest", TABLE_RIGHT}, {"descheduled", TABLE_RIGHT},
		{"most at", TABLE_PLACE}, {"others, at least", TABLE_RIGHT}, {"their entries", TABLE_RIGHT}, {0}};
	const struct recording *recording = report->recording;
	struct places *places = places_create(recording, report->symbols);
	struct loss_sums_thread *rows = loss_sums_by_thread(recording, places, report->options.sort);
	size_t count = recording->thread_count;
	size_t shown = report->options.top < count ? report->options.top : count;
	printer_bold(report->out, "Who lost:");
	printer_format(report->out, " %zu of %zu threads, evicted losses included\n", shown, count);
	struct report_table *table = report_table_create(report->out, columns);
	for (size_t i = 0; i < shown; i++)
		print_row(report, table, places, &rows[i]);
	report_table_finish(&table);
	report_rest(report, count - shown, "--top=N");
	printer_text(report->out, "an entry knows the threads of its longest loss: 'longest' and 'most at' are of\n"
				  "the entries that so name the thread; others lost 'at least' the longest of\n"
				  "those that name it as the culprit, of all in these\n");
	free(rows);
	places_destroy(&places);
}

/* ---- causes, whatever the place ---- */

/* Counts and times are from the totals, which are complete; only the entries have the other members. */
static struct tally causes_of(const struct report *report)
{
	const struct recording *recording = report->recording;
	struct tally causes = tally_make(recording, recording->total_count + recording->entry_count);
	for (size_t i = 0; i < recording->total_count; i++) {
		const struct stmlog_total_record *total = &recording->totals[i];
		struct tally_sum sum = tally_sum_of_total(total);
		tally_add(&causes, total->reason, total->contention, &sum);
	}
	for (size_t i = 0; i < recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &recording->entries[i];
		struct tally_sum sum = tally_sum_of(entry);
		sum.count = sum.lost_ns = 0;
		sum.surplus_ns = sum.variance_ns2 = 0;
		tally_add(&causes, entry->reason, entry->contention, &sum);
	}
	tally_group(&causes, report->options.sort);
	return causes;
}

static void cause_row(const struct report *report, struct report_table *table, const struct tally_row *row)
{
	const struct tally_sum *sum = &row->sum;
	struct number lost = estimate_text(report->recording, sum), share = estimate_share(report->recording, sum);
	struct number count = number_count(sum->count), longest = number_time(sum->longest_ns);
	struct number each = number_time(sum->count != 0 ? sum->lost_ns / sum->count : 0);
	struct number wasted = number_time(sum->wasted_ns), descheduled = number_time(sum->descheduled_ns);
	const char *cells[] = {stmlog_reason_name((uint32_t)row->key[0]), stmlog_contention_name((uint32_t)row->key[1]),
		lost.text, share.text, count.text, each.text, longest.text, wasted.text, descheduled.text};
	report_table_row(table, cells);
}

void report_causes(const struct report *report)
{
	static const struct table_column columns[] = {{"reason", TABLE_CAUSE}, {"contention", TABLE_LEFT},
		{"lost", TABLE_LOSS}, {"share", TABLE_RIGHT}, {"count", TABLE_RIGHT}, {"each", TABLE_RIGHT},
		{"longest", TABLE_RIGHT}, {"for nothing", TABLE_RIGHT}, {"descheduled", TABLE_RIGHT}, {0}};
	struct tally causes = causes_of(report);
	size_t shown = report_shown(report, &causes);
	printer_bold(report->out, "Causes\n");
	struct report_table *table = report_table_create(report->out, columns);
	for (size_t i = 0; i < shown; i++)
		cause_row(report, table, causes.rows[i]);
	report_table_finish(&table);
	report_ends(report, &causes, shown, "cause", "causes");
	if (report->recording->evicted_count > 0)
		printer_format(report->out,
			"'longest', 'for nothing' and 'descheduled' are without the %s losses evicted\n",
			number_count(report->recording->evicted_count).text);
	tally_drop(&causes);
}
