/* SPDX-License-Identifier: MIT
 * Prints over which data transactions conflict. Of an entry: its objects, and how many of its losses are false
 * conflicts, which are over different objects, and which moving data would end. Of all: the program's labels of data
 * (label.h), table by table, with the part that each has of the losses of its table. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <stmlog/read.h>

#include "number.h"
#include "printer.h"
#include "report.h"
#include "report_memory.h"
#include "sort.h"
#include "utf8.h"

/* An object is shown only if it has at least 1 / OBJECTS_PART of the losses: if thousands of objects are hit equally,
 * the few that the entry has are there by chance. */
enum { OBJECTS_PART = 10 };

static bool stands_out(const struct stmlog_entry_record *entry, uint64_t count)
{
	return count >= entry->count / OBJECTS_PART && count > 0;
}

/* Frees the name. */
static void print_name(const struct report *report, char *name)
{
	printer_name(report->out, name);
	memory_free(name);
}

/* ---- objects of an entry ---- */

/* The count of the object in slot `first`. An object with false conflicts against several others has a slot for each of
 * these: the first slot gets the sum, the others 0. */
static uint64_t count_from(const struct stmlog_entry_record *entry, size_t first)
{
	uint64_t count = 0;
	for (size_t i = 0; i < RECORDING_OBJECTS; i++) {
		if (entry->objects[i].address != entry->objects[first].address)
			continue;
		if (i < first)
			return 0;
		count += entry->objects[i].count;
	}
	return count;
}

static void print_objects(const struct report *report, const struct stmlog_entry_record *entry)
{
	const char *before = "     object      ";
	for (size_t i = 0; i < RECORDING_OBJECTS; i++) {
		uint64_t count = count_from(entry, i);
		if (entry->objects[i].address == 0 || !stands_out(entry, count))
			continue;
		printer_text(report->out, before);
		print_name(report, report_object_of(report, entry, entry->objects[i].address));
		printer_format(report->out, " (at least %s %s)", number_count(count).text, report_times(count));
		before = ", ";
	}
	if (before[0] == ',')
		printer_text(report->out, "\n");
}

/* ---- false conflicts ---- */

/* Whether the two different objects of a slot lie in one stripe. */
static bool are_neighbours(const struct report *report, const struct stmlog_entry_record *entry, size_t i)
{
	uint64_t stripe = report->recording->info.stripe_bytes;
	if (entry->false_aliases == 0 || entry->false_aliases >= entry->false_conflicts)
		return entry->false_aliases == 0;
	return stripe != 0 && entry->objects[i].address / stripe == entry->object_others[i] / stripe;
}

/* Prints ": X and Y", the most frequent pair of this kind, if one is known. */
static void print_pair(const struct report *report, const struct stmlog_entry_record *entry, bool wants_neighbours)
{
	for (size_t i = 0; i < RECORDING_OBJECTS; i++) {
		bool is_pair = entry->objects[i].address != 0 && entry->object_others[i] != 0;
		if (!is_pair || are_neighbours(report, entry, i) != wants_neighbours)
			continue;
		printer_text(report->out, ": ");
		print_name(report, report_object_of(report, entry, entry->objects[i].address));
		printer_text(report->out, " and ");
		print_name(report, report_other_of(report, entry->object_others[i]));
		return;
	}
}

/* Prints "     false       42.0 % of these aborts". */
static void print_share(const struct report *report, const struct stmlog_entry_record *entry, uint64_t count)
{
	const char *what = cause_is_abort(entry->reason)   ? "aborts"
			   : entry->reason == STMLOG_PAUSE ? "pauses"
							   : "losses";
	printer_format(report->out, "     false       %s of these %s", number_share(count, entry->count).text, what);
}

static void print_neighbours(const struct report *report, const struct stmlog_entry_record *entry, uint64_t count)
{
	uint64_t stripe = report->recording->info.stripe_bytes;
	if (count == 0)
		return;
	print_share(report, entry, count);
	if (stripe != 0)
		printer_format(report->out, " touch different variables in one %" PRIu64 "-byte %s", stripe,
			report_stripe_word(report));
	else
		printer_text(report->out, " touch different variables that are locked as one");
	print_pair(report, entry, true);
	printer_text(report->out, "; pad or align\n");
}

static void print_aliases(const struct report *report, const struct stmlog_entry_record *entry)
{
	if (entry->false_aliases == 0)
		return;
	print_share(report, entry, entry->false_aliases);
	const char *runtime = report->recording->info.runtime;
	printer_text(report->out, " touch two variables far apart that share one of ");
	printer_name(report->out, runtime[0] != '\0' ? runtime : "the runtime");
	printer_text(report->out, "'s locks");
	print_pair(report, entry, false);
	printer_text(report->out, "; moving either one helps\n");
}

void report_objects(const struct report *report, const struct stmlog_entry_record *entry)
{
	uint64_t aliases = entry->false_aliases;
	print_objects(report, entry);
	print_neighbours(report, entry, entry->false_conflicts > aliases ? entry->false_conflicts - aliases : 0);
	print_aliases(report, entry);
}

/* ---- labels ---- */

/* "account" of "account 17". */
static char *label_table(const char *text)
{
	char *table = memory_text(text), *to = table;
	for (; *text != '\0'; text++)
		if (*text < '0' || *text > '9')
			*to++ = *text;
	while (to > table && to[-1] == ' ')
		to--;
	*to = '\0';
	return table;
}

static int by_table(const void *left, const void *right)
{
	const struct report_label *a = left, *b = right;
	int order = sort_numbers(b->table_ns, a->table_ns);
	order = order != 0 ? order : strcmp(a->table, b->table);
	order = order != 0 ? order : sort_numbers(b->record->estimated_ns, a->record->estimated_ns);
	return order != 0 ? order : strcmp(a->record->text, b->record->text);
}

/* The number behind the last label of the table that begins with `from`. */
static size_t end_of_table(const struct report_labels *labels, size_t from)
{
	size_t end = from;
	while (end < labels->len && strcmp(labels->at[end].table, labels->at[from].table) == 0)
		end++;
	return end;
}

struct report_labels report_labels_make(const struct recording *recording)
{
	struct report_labels labels = {memory_zeroed(recording->label_count, sizeof *labels.at), 0};
	for (size_t i = 0; i < recording->label_count; i++)
		if (recording->labels[i].size == 0)
			labels.at[labels.len++] =
				(struct report_label){&recording->labels[i], label_table(recording->labels[i].text), 0};
	qsort(labels.at, labels.len, sizeof *labels.at, by_table);
	for (size_t from = 0, end; from < labels.len; from = end) {
		end = end_of_table(&labels, from);
		uint64_t ns = 0;
		for (size_t i = from; i < end; i++)
			ns += labels.at[i].record->estimated_ns;
		for (size_t i = from; i < end; i++)
			labels.at[i].table_ns = ns;
	}
	qsort(labels.at, labels.len, sizeof *labels.at, by_table);
	return labels;
}

void report_labels_fini(struct report_labels *labels)
{
	for (size_t i = 0; i < labels->len; i++)
		memory_free(labels->at[i].table);
	memory_free(labels->at);
}

static void add_label_row(struct report_table *table, const struct report_label *label)
{
	char *name = utf8_cleaned(memory_text(label->record->text));
	struct number share = number_share(label->record->estimated_ns, label->table_ns);
	struct number lost = number_time(label->record->estimated_ns), count = number_count(label->record->count);
	report_table_row(table, (const char *const[]){name, share.text, lost.text, count.text});
	memory_free(name);
}

void report_labels(const struct report *report)
{
	static const struct table_column columns[] = {
		{"label", TABLE_LEFT}, {"share", TABLE_RIGHT}, {"lost", TABLE_LOSS}, {"count", TABLE_RIGHT}, {0}};
	struct report_labels labels = report_labels_make(report->recording);
	for (size_t from = 0, end; from < labels.len; from = end) {
		end = end_of_table(&labels, from);
		size_t shown = end - from < report->options.top ? end - from : report->options.top;
		printer_bold(report->out, "Labels: ");
		printer_name(report->out, labels.at[from].table);
		printer_text(report->out, "\n");
		struct report_table *table = report_table_create(report->out, columns);
		for (size_t i = from; i < from + shown; i++)
			add_label_row(table, &labels.at[i]);
		report_table_finish(&table);
		report_rest(report, end - from - shown, "--top=N");
		printer_text(report->out, "\n");
	}
	report_labels_fini(&labels);
}
