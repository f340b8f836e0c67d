/* SPDX-License-Identifier: MIT
 * What was fought over, and whether it was the same for both: the lines under an entry. */
#include <string.h>

#include "names.h"
#include "report_parts.h"
#include "session.h"

/* Sites of an allocation that are shown; the first ones may be the C++ library's. */
#define SITES_SHOWN 3

/* An object in fewer of the losses than this part says nothing about them: with thousands some few always
 * come first. */
#define OBJECTS_PART 10

static bool stands_out(const struct stmlog_entry *entry, uint64_t count)
{
	return count >= entry->count / OBJECTS_PART && count > 0;
}

static void show_block(struct out *out, const struct stmlog_block *block, uintptr_t object)
{
	out_texts(out, block->is_freed ? "freed " : "", "block of ", NULL);
	out_number(out, block->size);
	out_text(out, " bytes +");
	out_number(out, object - block->start);
	for (size_t i = 0; i < block->allocated.len && i < SITES_SHOWN; i++) {
		out_text(out, i == 0 ? ", allocated at " : " < ");
		report_show_site(out, block->allocated.sites[i]);
	}
}

/* What the neighbours within stripe_bytes share: a lock, or what the hardware watches. */
static const char *stripe_word(void)
{
	const char *method = session_word("method");
	return method != NULL && strcmp(method, "htm") == 0 ? "cache line" : "stripe";
}

static void show_address(struct out *out, uintptr_t object)
{
	uint64_t stripe = session_fact("stripe_bytes");
	out_hex(out, object);
	if (stripe == 0)
		return;
	out_texts(out, " (", stripe_word(), " ", NULL);
	out_hex(out, object - object % stripe);
	out_text(out, ")");
}

static void show_name(struct out *out, uintptr_t object)
{
	char name[OBJECT_NAME];
	struct stmlog_block block;
	if (names_object(object, name))
		out_text(out, name);
	else if (names_block(object, &block))
		show_block(out, &block, object);
	else
		show_address(out, object);
}

/* The same object stands once for each of the others'. */
static bool came_before(const struct stmlog_entry *entry, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (entry->objects[k].address == entry->objects[i].address)
			return true;
	return false;
}

static uint64_t count_of(const struct stmlog_entry *entry, uintptr_t object)
{
	uint64_t count = 0;
	for (size_t i = 0; i < STMLOG_OBJECTS; i++)
		if (entry->objects[i].address == object)
			count += entry->objects[i].count;
	return count;
}

static void show_counts(struct out *out, const struct stmlog_entry *entry)
{
	const char *before = "  object      ";
	for (size_t i = 0; i < STMLOG_OBJECTS; i++) {
		uintptr_t object = entry->objects[i].address;
		uint64_t count = count_of(entry, object);
		if (object == 0 || came_before(entry, i) || !stands_out(entry, count))
			continue;
		out_text(out, before);
		show_name(out, object);
		out_text(out, " (at least ");
		out_counted(out, count, "time");
		out_text(out, ")");
		before = ", ";
	}
	if (before[0] == ',')
		out_text(out, "\n");
}

/* Whether two objects, which differ, lie in one unit of locking. */
static bool are_neighbours(const struct stmlog_entry *entry, uintptr_t object, uintptr_t other, uint64_t stripe)
{
	if (entry->false_aliases == 0 || entry->false_aliases == entry->false_conflicts)
		return entry->false_aliases == 0;
	return stripe != 0 && object / stripe == other / stripe;
}

/* The most frequent pair of this kind, as examples. */
static void show_pair(struct out *out, const struct stmlog_entry *entry, bool wants_neighbours, uint64_t stripe)
{
	for (size_t i = 0; i < STMLOG_OBJECTS; i++) {
		uintptr_t object = entry->objects[i].address, other = entry->objects[i].other;
		if (object == 0 || other == 0 || are_neighbours(entry, object, other, stripe) != wants_neighbours)
			continue;
		out_text(out, ": ");
		show_name(out, object);
		out_text(out, " and ");
		show_name(out, other);
		return;
	}
}

static void show_false(struct out *out, const struct stmlog_entry *entry)
{
	uint64_t stripe = session_fact("stripe_bytes");
	uint64_t neighbours = entry->false_conflicts - entry->false_aliases;
	if (neighbours != 0) {
		out_text(out, "  false       ");
		out_percent(out, neighbours, entry->count);
		out_text(out, " touch different variables in one ");
		if (stripe != 0) {
			out_number(out, stripe);
			out_texts(out, "-byte ", stripe_word(), NULL);
		} else {
			out_text(out, "unit of locking");
		}
		show_pair(out, entry, true, stripe);
		out_text(out, "; pad or align\n");
	}
	if (entry->false_aliases != 0) {
		out_text(out, "  false       ");
		out_percent(out, entry->false_aliases, entry->count);
		out_text(out, " touch variables far apart that share a lock");
		show_pair(out, entry, false, stripe);
		out_text(out, "; moving either one helps\n");
	}
}

void report_show_objects(struct out *out, const struct stmlog_entry *entry)
{
	show_counts(out, entry);
	show_false(out, entry);
}
