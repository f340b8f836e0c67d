/* SPDX-License-Identifier: MIT
 * How long transactions are: the measured time of their attempts, by the place where they begin; and how long they wait
 * after a retry. */
#include "findings_search.h"

static void add(struct findings_length *length, const struct stmlog_transaction_record *record)
{
	length->commits += (double)record->commits;
	length->attempts += (double)record->attempts;
	length->committed_ns += (double)record->committed_ns;
	length->aborted_ns += (double)record->lost_ns;
}

void findings_measure_lengths(struct findings_search *search)
{
	for (size_t i = 0; i < search->recording->transaction_count; i++) {
		const struct stmlog_transaction_record *record = &search->recording->transactions[i];
		if (record->site != STMLOG_NO_SITE)
			add(&search->lengths[places_site(search->places, record->site)], record);
		add(&search->all, record);
	}
}

static double mean_ns(double ns, double attempts)
{
	return attempts > 0 ? ns / attempts : 0;
}

double findings_attempt_ns(const struct findings_search *search, uint32_t place)
{
	const struct findings_length *own = &search->lengths[place];
	return own->committed_ns > 0 ? mean_ns(own->committed_ns + own->aborted_ns, own->attempts) : 0;
}

double findings_other_attempts_ns(const struct findings_search *search, uint32_t place)
{
	const struct findings_length *own = &search->lengths[place], *all = &search->all;
	double committed_ns = all->committed_ns - own->committed_ns;
	if (committed_ns <= 0)
		return 0;
	return mean_ns(all->committed_ns + all->aborted_ns - own->committed_ns - own->aborted_ns,
		all->attempts - own->attempts);
}

double findings_aborted_part(const struct findings_search *search, uint32_t place)
{
	const struct findings_length *own = &search->lengths[place];
	double all_ns = own->committed_ns + own->aborted_ns;
	return own->committed_ns > 0 ? own->aborted_ns / all_ns : 0;
}

const struct stmlog_blocked_record *findings_sleeps(const struct findings_search *search, uint32_t place)
{
	for (size_t i = 0; i < search->blocked.len; i++)
		if (search->blocked.rows[i].place == place)
			return &search->blocked.rows[i].record;
	return NULL;
}
