/* SPDX-License-Identifier: MIT
 * The rule about transactions that the program cancels again and again: they poll. */
#include <stmlog/read.h>

#include "findings_search.h"
#include "number.h"
#include "report_memory.h"

/* A transaction polls if at least this part of its attempts, committed or cancelled, is cancelled. */
enum { CANCELLED_MIN_PERCENT = 50 };

/* Cancelled attempts of known transactions, by the place where the transaction begins. A transaction that waits after a
 * retry does not poll. */
static struct findings_group cancelled_of(const struct findings_search *search)
{
	const struct recording *recording = search->recording;
	struct findings_group group = findings_group_make(search, recording->entry_count);
	for (size_t i = 0; i < recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &recording->entries[i];
		struct tally_sum whole = tally_sum_of(entry), sum = findings_part(&whole, findings_rest(search, i));
		uint32_t place = findings_victim_place(search, entry);
		if (entry->reason == STMLOG_USER_ABORT && place >= PLACE_FIRST && sum.count > 0 &&
			findings_sleeps(search, place) == NULL)
			findings_group_add(&group, place, 0, &sum, (struct findings_origin){(uint32_t)i, 0});
	}
	findings_group_sort(&group);
	return group;
}

static double cancelled_part(const struct findings_search *search, const struct tally_row *row)
{
	double cancelled = (double)row->sum.count, committed = search->lengths[row->key[0]].commits;
	return cancelled >= FINDINGS_MIN ? cancelled / (cancelled + committed) : 0;
}

static void describe(struct findings_search *search, const struct tally_row *row, struct findings_origin origin)
{
	uint64_t ns = estimate_of(search->recording, &row->sum).ns;
	struct finding *finding = findings_add(search, FINDING_POLLING, &row->sum,
		findings_place_text(search, (uint32_t)row->key[0]), memory_text(""));
	finding->where = search->recording->entries[origin.entry].local;
	search->cost[search->found.len - 1].polling = (uint32_t)row->key[0];
	search->cost[search->found.len - 1].cancelled = cancelled_part(search, row);
	finding->share_text = memory_format("%s %% cancelled, %s of the time",
		number_rounded(cancelled_part(search, row) * 100, 0).text, number_share(ns, search->threads_ns).text);
}

static void claim(struct findings_search *search, uint64_t place)
{
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &search->recording->entries[i];
		if (entry->reason == STMLOG_USER_ABORT && findings_victim_place(search, entry) == place)
			findings_claim_rest(search, i);
	}
}

static bool make(struct findings_search *search, const struct tally_row *row, struct findings_origin origin)
{
	if (cancelled_part(search, row) * 100 < CANCELLED_MIN_PERCENT)
		return false;
	describe(search, row, origin);
	claim(search, row->key[0]);
	return true;
}

void findings_polling(struct findings_search *search)
{
	findings_make_each(search, FINDING_POLLING, cancelled_of(search), make);
}
