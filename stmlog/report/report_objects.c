/* SPDX-License-Identifier: MIT
 * What the losses of an entry were about, and whether it was the same for both: a conflict over different data is
 * one that moving data ends, which no other report tells. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <stmlog/stmlog.h>

#include "cause.h"
#include "memory.h"
#include "number.h"
#include "report.h"

enum { OBJECTS = sizeof((struct stmlog_entry_record *)NULL)->objects / sizeof(uint64_t[2]), CACHE_LINE = 64 };

/* An object in fewer of the losses than this part says nothing about them: with thousands of accounts some
 * few always come first. */
enum { OBJECTS_PART = 10 };

static bool stands_out(const struct stmlog_entry_record *entry, uint64_t count)
{
	return count >= entry->count / OBJECTS_PART && count > 0;
}

/* ---- names; the caller frees them ---- */

static char *block_name(const struct report *report, const struct stmlog_block_record *block, uint64_t address)
{
	char *allocation = report_allocation(report, block->traceback);
	char *name = memory_format("%sblock of %" PRIu64 " bytes +%" PRIu64 "%s%s",
		(block->flags & STMLOG_BLOCK_FREED) != 0 ? "freed " : "", block->size, address - block->address,
		allocation != NULL ? ", allocated at " : "", allocation != NULL ? allocation : "");
	free(allocation);
	return name;
}

/* What the neighbours within stripe_bytes share: a lock, or what the hardware watches. */
static const char *stripe_word(const struct report *report)
{
	const struct recording_info *info = &report->recording->info;
	return info->stripe_bytes != 0 && strcmp(info->method, "htm") != 0 ? "stripe" : "cache line";
}

/* What lies close together falls to one lock, or at least to one line. */
static char *bare_name(const struct report *report, uint64_t address)
{
	uint64_t stripe = report->recording->info.stripe_bytes;
	uint64_t unit = stripe != 0 ? stripe : CACHE_LINE;
	return memory_format(
		"0x%" PRIx64 " (%s 0x%" PRIx64 ")", address, stripe_word(report), address - address % unit);
}

static const char *given_name(const struct report *report, const struct stmlog_entry_record *entry, uint64_t address)
{
	for (size_t i = 0; i < OBJECTS; i++) {
		const char *name = recording_string(report->recording, entry->object_names[i]);
		if (entry->objects[i].address == address && name[0] != '\0')
			return name;
	}
	return NULL;
}

/* What the symbols say lies there, then what was allocated there. */
char *report_object_name(const struct report *report, uint64_t address)
{
	char *symbol = symbols_object(report->symbols, address);
	if (symbol != NULL)
		return symbol;
	const struct stmlog_block_record *block = recording_block(report->recording, address);
	return block != NULL ? block_name(report, block, address) : bare_name(report, address);
}

/* The runtime's own name comes first. */
static char *name_of(const struct report *report, const struct stmlog_entry_record *entry, uint64_t address)
{
	const char *given = given_name(report, entry, address);
	return given != NULL ? memory_text(given) : report_object_name(report, address);
}

/* Where blocks were allocated says more than which of them it was. */
static char *blocks_name(const struct report *report, const struct stmlog_block_record *block)
{
	char *allocation = report_allocation(report, block->traceback);
	char *name = allocation != NULL ? memory_format("blocks allocated at %s", allocation)
					: memory_format("blocks of %" PRIu64 " bytes", block->size);
	free(allocation);
	return name;
}

char *report_object_group(const struct report *report, const struct stmlog_entry_record *entry, uint64_t address)
{
	const char *given = given_name(report, entry, address);
	char *symbol = given == NULL ? symbols_object(report->symbols, address) : NULL;
	const struct stmlog_block_record *block = recording_block(report->recording, address);
	if (given != NULL || symbol != NULL)
		return given != NULL ? memory_text(given) : symbol;
	return block != NULL ? blocks_name(report, block) : bare_name(report, address);
}

static void print_name(const struct report *report, const struct stmlog_entry_record *entry, uint64_t address)
{
	char *name = name_of(report, entry, address);
	report_name(report, name);
	free(name);
}

/* ---- what it was about ---- */

/* An object that met several others has a slot for each: in the first of them it stands for all. */
static uint64_t count_from(const struct stmlog_entry_record *entry, size_t first)
{
	uint64_t count = 0;
	for (size_t i = 0; i < OBJECTS; i++) {
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
	for (size_t i = 0; i < OBJECTS; i++) {
		uint64_t count = count_from(entry, i);
		if (entry->objects[i].address == 0 || !stands_out(entry, count))
			continue;
		fputs(before, report->out);
		print_name(report, entry, entry->objects[i].address);
		fprintf(report->out, " (at least %s %s)", number_count(count).text, report_times(count));
		before = ", ";
	}
	if (before[0] == ',')
		fputc('\n', report->out);
}

/* ---- what of it is false ---- */

/* Whether two objects, which differ, lie in one unit of locking. */
static bool are_neighbours(const struct report *report, const struct stmlog_entry_record *entry, size_t i)
{
	uint64_t stripe = report->recording->info.stripe_bytes;
	if (entry->false_aliases == 0 || entry->false_aliases >= entry->false_conflicts)
		return entry->false_aliases == 0;
	return stripe != 0 && entry->objects[i].address / stripe == entry->object_others[i] / stripe;
}

/* ": X and Y", the pair of this kind that occurred most, if one is known. */
static void print_pair(const struct report *report, const struct stmlog_entry_record *entry, bool wants_neighbours)
{
	for (size_t i = 0; i < OBJECTS; i++) {
		bool is_pair = entry->objects[i].address != 0 && entry->object_others[i] != 0;
		if (!is_pair || are_neighbours(report, entry, i) != wants_neighbours)
			continue;
		fputs(": ", report->out);
		print_name(report, entry, entry->objects[i].address);
		fputs(" and ", report->out);
		print_name(report, entry, entry->object_others[i]);
		return;
	}
}

/* "     false       42.0 % of these aborts" */
static void print_share(const struct report *report, const struct stmlog_entry_record *entry, uint64_t count)
{
	const char *what = cause_is_abort(entry->reason)   ? "aborts"
			   : entry->reason == STMLOG_PAUSE ? "pauses"
							   : "losses";
	fprintf(report->out, "     false       %s of these %s", number_share(count, entry->count).text, what);
}

static void print_neighbours(const struct report *report, const struct stmlog_entry_record *entry, uint64_t count)
{
	uint64_t stripe = report->recording->info.stripe_bytes;
	if (count == 0)
		return;
	print_share(report, entry, count);
	if (stripe != 0)
		fprintf(report->out, " touch different variables in one %" PRIu64 "-byte %s", stripe,
			stripe_word(report));
	else
		fputs(" touch different variables that are locked as one", report->out);
	print_pair(report, entry, true);
	fputs("; pad or align\n", report->out);
}

static void print_aliases(const struct report *report, const struct stmlog_entry_record *entry)
{
	if (entry->false_aliases == 0)
		return;
	print_share(report, entry, entry->false_aliases);
	const char *runtime = report->recording->info.runtime;
	fputs(" touch two variables far apart that share one of ", report->out);
	report_name(report, runtime[0] != '\0' ? runtime : "the runtime");
	fputs("'s locks", report->out);
	print_pair(report, entry, false);
	fputs("; moving either one helps\n", report->out);
}

void report_objects(const struct report *report, const struct stmlog_entry_record *entry)
{
	uint64_t aliases = entry->false_aliases;
	print_objects(report, entry);
	print_neighbours(report, entry, entry->false_conflicts > aliases ? entry->false_conflicts - aliases : 0);
	print_aliases(report, entry);
}
