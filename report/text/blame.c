/* SPDX-License-Identifier: MIT
 * Adds up the entries by the places of the victim and of the culprit, and then the pairs by culprit. */
#include "blame.h"

#include <stmlog/read.h>

#include "estimate.h"

/* Maps a culprit's traceback to a number. Entries with equal numbers have the same culprit. */
typedef uint32_t identify(struct places *places, uint32_t traceback);

static struct tally by_culprit(
	const struct recording *recording, struct places *places, identify *culprit, enum tally_sort sort)
{
	struct tally tally = tally_make(recording, recording->entry_count);
	for (size_t i = 0; i < recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &recording->entries[i];
		if (entry->contention == STMLOG_NONE)
			continue;
		struct tally_sum sum = tally_sum_of(entry);
		tally_add(&tally, places_innermost(places, entry->local), culprit(places, entry->remote), &sum);
	}
	tally_group(&tally, sort);
	return tally;
}

struct tally blame_pairs(const struct recording *recording, struct places *places, enum tally_sort sort)
{
	return by_culprit(recording, places, places_innermost, sort);
}

uint64_t blame_bound_ns(const struct recording *recording, const struct tally_sum *sum)
{
	uint64_t lost_ns = estimate_of(recording, sum).high_ns, wall_ns = recording->info.wall_ns;
	return lost_ns < wall_ns ? lost_ns : wall_ns;
}

struct tally blame_aggressors(const struct recording *recording, struct places *places, enum tally_sort sort)
{
	struct tally victims = by_culprit(recording, places, places_traceback, sort);
	struct tally tally = tally_make(recording, victims.len);
	for (size_t i = 0; i < victims.len; i++)
		tally_add(&tally, victims.rows[i]->key[1], 0, &victims.rows[i]->sum);
	tally_group(&tally, sort);
	tally_drop(&victims);
	return tally;
}
