/* SPDX-License-Identifier: MIT
 * Prints the objects of an entry, and how many of its losses are false conflicts: conflicts over different objects,
 * which moving data would end. */
#include <inttypes.h>

#include <stmlog/read.h>

#include "number.h"
#include "report.h"
#include "report_memory.h"

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

/* ---- objects ---- */

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
