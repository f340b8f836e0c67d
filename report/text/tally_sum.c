/* SPDX-License-Identifier: MIT
 * Makes sums from entries, evicted entries and totals, and adds them. */
#include "tally_sum.h"

#include <stmlog/read.h>

#include "records.h"

static uint64_t rows_of(uint32_t reason)
{
	enum stmlog_account_row row = cause_account_row(reason);
	return row == STMLOG_ACCOUNT_ROWS ? TALLY_LOSSES : TALLY_ROW(row);
}

struct tally_sum tally_sum_of(const struct stmlog_entry_record *entry)
{
	return (struct tally_sum){
		.count = entry->count,
		.lost_ns = entry->lost_ns,
		.longest_ns = entry->longest_ns,
		.wasted = entry->wasted,
		.wasted_ns = entry->wasted_ns,
		.false_conflicts = entry->false_conflicts,
		.surplus_ns = entry->estimated_ns - (double)entry->lost_ns,
		.variance_ns2 = entry->variance_ns2,
		.descheduled_ns = entry->descheduled_ns,
		.rows = rows_of(entry->reason),
	};
}

struct tally_sum tally_sum_of_evicted(const struct recording *recording)
{
	return (struct tally_sum){
		.count = recording->evicted_count,
		.lost_ns = recording->evicted_lost_ns,
		.surplus_ns = recording->evicted_estimated_ns - (double)recording->evicted_lost_ns,
		.variance_ns2 = recording->evicted_variance_ns2,
		.rows = TALLY_LOSSES,
	};
}

struct tally_sum tally_sum_of_total(const struct stmlog_total_record *total)
{
	return (struct tally_sum){
		.count = total->count,
		.lost_ns = total->lost_ns,
		.surplus_ns = total->estimated_ns - (double)total->lost_ns,
		.variance_ns2 = total->variance_ns2,
		.rows = rows_of(total->reason),
	};
}

void tally_sum_add(struct tally_sum *sum, const struct tally_sum *more)
{
	sum->count += more->count;
	sum->lost_ns += more->lost_ns;
	sum->wasted += more->wasted;
	sum->wasted_ns += more->wasted_ns;
	sum->false_conflicts += more->false_conflicts;
	sum->surplus_ns += more->surplus_ns;
	sum->variance_ns2 = stmlog_joint_variance(sum->variance_ns2, more->variance_ns2);
	sum->descheduled_ns += more->descheduled_ns;
	sum->rows |= more->rows;
	if (more->longest_ns > sum->longest_ns)
		sum->longest_ns = more->longest_ns;
}
