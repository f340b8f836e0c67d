/* SPDX-License-Identifier: MIT */
#include "object_sums.h"

#include <stdlib.h>

#include "check.h"
#include "loss_sums.h"

enum { OBJECTS = sizeof((struct stmlog_entry_record *)NULL)->objects / sizeof(uint64_t[2]) };

/* An entry's sums, and how much of them its objects have got so far. Invariant: handed_out <= whole, in each member. */
struct division {
	struct tally_sum whole;
	struct tally_sum handed_out;
};

static uint64_t part_of(uint64_t value, uint64_t part, uint64_t whole)
{
	return (uint64_t)((unsigned __int128)value * part / whole);
}

/* Returns the part that the next `count` losses have of the whole, and hands it out. Each sum in integers is the
 * difference of two sums from the beginning, each rounded, so that all parts add up to the whole. Requires that `count`
 * is at least 1, and that at least `count` losses are not handed out yet. */
static struct tally_sum next_part(struct division *division, uint64_t count)
{
	const struct tally_sum *whole = &division->whole;
	REQUIRES(count > 0 && count <= whole->count - division->handed_out.count);
	uint64_t until = division->handed_out.count + count;
	double share = (double)count / (double)whole->count;
	struct tally_sum cut = {
		.count = until,
		.lost_ns = part_of(whole->lost_ns, until, whole->count),
		.wasted = part_of(whole->wasted, until, whole->count),
		.wasted_ns = part_of(whole->wasted_ns, until, whole->count),
		.descheduled_ns = part_of(whole->descheduled_ns, until, whole->count),
	};
	struct tally_sum part = {
		.count = count,
		.lost_ns = cut.lost_ns - division->handed_out.lost_ns,
		.longest_ns = whole->longest_ns,
		.wasted = cut.wasted - division->handed_out.wasted,
		.wasted_ns = cut.wasted_ns - division->handed_out.wasted_ns,
		.descheduled_ns = cut.descheduled_ns - division->handed_out.descheduled_ns,
		.rows = whole->rows,
		.surplus_ns = whole->surplus_ns * share,
		.variance_ns2 = whole->variance_ns2 * share,
	};
	division->handed_out = cut;
	return part;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Counts the losses of each slot (one of the entry's few objects), in all no more than the entry has. Returns the
 * number of losses without a slot. */
static uint64_t count_slots(const struct stmlog_entry_record *entry, uint64_t counts[OBJECTS])
{
	uint64_t left = entry->count;
	for (size_t i = 0; i < OBJECTS; i++) {
		counts[i] = entry->objects[i].address != 0 ? smaller(entry->objects[i].count, left) : 0;
		left -= counts[i];
	}
	return left;
}

/* Counts the false conflicts of each slot. The entry has only their sum, which is divided in this order: slots whose
 * other transaction touched another object, then the `rest` losses without a slot, then the other slots. Returns the
 * number for the losses without a slot. */
static uint64_t count_false(const struct stmlog_entry_record *entry, const uint64_t counts[OBJECTS], uint64_t rest,
	uint64_t falses[OBJECTS])
{
	uint64_t left = smaller(entry->false_conflicts, entry->count);
	for (size_t i = 0; i < OBJECTS; i++) {
		falses[i] = entry->object_others[i] != 0 ? smaller(counts[i], left) : 0;
		left -= falses[i];
	}
	uint64_t of_rest = smaller(rest, left);
	left -= of_rest;
	for (size_t i = 0; i < OBJECTS; i++) {
		uint64_t more = smaller(counts[i] - falses[i], left);
		falses[i] += more;
		left -= more;
	}
	return of_rest;
}

/* Adds the `count` losses without a slot under NAMED_SUM_UNKNOWN, or all sums of an entry that counts no losses. */
static void add_rest(struct named_sums *sums, struct division *division, uint64_t count, uint64_t false_conflicts)
{
	struct tally_sum rest = division->whole;
	if (count == 0 && rest.count != 0)
		return;
	if (count > 0)
		rest = next_part(division, count);
	rest.false_conflicts = false_conflicts;
	named_sums_add(sums, NAMED_SUM_UNKNOWN, NULL, &rest);
}

static void add_entry(const struct report *report, struct named_sums *sums, const struct stmlog_entry_record *entry)
{
	struct division division = {.whole = tally_sum_of(entry)};
	uint64_t counts[OBJECTS], falses[OBJECTS];
	uint64_t left = count_slots(entry, counts);
	uint64_t false_left = count_false(entry, counts, left, falses);
	for (size_t i = 0; i < OBJECTS; i++) {
		if (counts[i] == 0)
			continue;
		struct tally_sum sum = next_part(&division, counts[i]);
		sum.false_conflicts = falses[i];
		char *name = report_object_group(report, entry, entry->objects[i].address);
		named_sums_add(sums, NAMED_SUM, name, &sum);
		free(name);
	}
	add_rest(sums, &division, left, false_left);
}

struct named_sums object_sums(const struct report *report)
{
	const struct recording *recording = report->recording;
	struct named_sums sums = named_sums_make(recording, (OBJECTS + 1) * recording->entry_count + 1);
	for (size_t i = 0; i < recording->entry_count; i++)
		add_entry(report, &sums, &recording->entries[i]);
	struct tally_sum evicted = tally_sum_of_evicted(recording);
	if (evicted.count > 0)
		named_sums_add(&sums, NAMED_SUM_EVICTED, NULL, &evicted);
	tally_group(&sums.tally, report->options.sort);
	return sums;
}
