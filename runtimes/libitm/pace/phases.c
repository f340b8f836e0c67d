/* SPDX-License-Identifier: MIT
 * Where in a period the off phase lies, and the sums of both phases. */
#include "phases.h"

#include <atomic_ops.h>

#include <stmlog/agent.h>

/* The beginning of a period's off phase, hashed from the period's number: in [0, PERIOD - OFF]. */
static uint64_t off_begins_ns(uint64_t period)
{
	uint64_t hash = (period + 1) * UINT64_C(0x9e3779b97f4a7c15);
	hash = (hash ^ hash >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
	return (hash ^ hash >> 32) % (ITM_PHASE_PERIOD_NS - ITM_PHASE_OFF_NS + 1);
}

bool itm_phase_is_off(uint64_t now_ns)
{
	uint64_t period = now_ns / ITM_PHASE_PERIOD_NS;
	return now_ns % ITM_PHASE_PERIOD_NS - off_begins_ns(period) < ITM_PHASE_OFF_NS;
}

/* ---- sums ---- */

/* Any thread adds to them, some ten times a second; they are read when a report is made. They need no memory order,
 * since no other data are published by them. */
struct sums {
	volatile AO_t phases, ns, transactions, aborts;
	volatile AO_t aborts_square, aborts_us, us_square; /* of the phases' aborts and durations */
};
static struct sums on, off;

/* An on phase may last for nearly two periods: from an off phase at the beginning of its period to one at the end of
 * the next. Two off phases may follow each other directly. And a thread notices the change some time later. */
#define LONGEST_ON_NS (2 * ITM_PHASE_PERIOD_NS)
#define LONGEST_OFF_NS (2 * ITM_PHASE_OFF_NS + ITM_PHASE_OFF_NS / 2)

void itm_phase_add(bool is_off, const struct itm_phase_mark *from, const struct itm_phase_mark *to)
{
	struct sums *sums = is_off ? &off : &on;
	uint64_t ns = to->at_ns - from->at_ns;
	/* Fewer restarts than before: libitm has freed its struct of the thread, and made a new one. */
	if (from->at_ns == 0 || ns > (is_off ? LONGEST_OFF_NS : LONGEST_ON_NS) || to->restarts < from->restarts)
		return;
	AO_fetch_and_add(&sums->phases, 1);
	AO_fetch_and_add(&sums->ns, ns);
	AO_fetch_and_add(&sums->transactions, to->transactions - from->transactions);
	uint64_t aborts = to->restarts - from->restarts, us = ns / 1000;
	AO_fetch_and_add(&sums->aborts, aborts);
	AO_fetch_and_add(&sums->aborts_square, aborts * aborts);
	AO_fetch_and_add(&sums->aborts_us, aborts * us);
	AO_fetch_and_add(&sums->us_square, us * us);
}

void itm_phases_set_facts(void)
{
	stmlog_set_fact("on_phases", AO_load(&on.phases));
	stmlog_set_fact("on_ns", AO_load(&on.ns));
	stmlog_set_fact("on_transactions", AO_load(&on.transactions));
	stmlog_set_fact("on_aborts", AO_load(&on.aborts));
	stmlog_set_fact("on_aborts_square", AO_load(&on.aborts_square));
	stmlog_set_fact("on_aborts_us", AO_load(&on.aborts_us));
	stmlog_set_fact("on_us_square", AO_load(&on.us_square));
	stmlog_set_fact("off_phases", AO_load(&off.phases));
	stmlog_set_fact("off_ns", AO_load(&off.ns));
	stmlog_set_fact("off_transactions", AO_load(&off.transactions));
	stmlog_set_fact("off_aborts", AO_load(&off.aborts));
	stmlog_set_fact("off_aborts_square", AO_load(&off.aborts_square));
	stmlog_set_fact("off_aborts_us", AO_load(&off.aborts_us));
	stmlog_set_fact("off_us_square", AO_load(&off.us_square));
}

static void forget(struct sums *sums)
{
	AO_store(&sums->phases, 0);
	AO_store(&sums->ns, 0);
	AO_store(&sums->transactions, 0);
	AO_store(&sums->aborts, 0);
	AO_store(&sums->aborts_square, 0);
	AO_store(&sums->aborts_us, 0);
	AO_store(&sums->us_square, 0);
}

void itm_phases_forget(void)
{
	forget(&on);
	forget(&off);
}
