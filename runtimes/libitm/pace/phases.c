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

/* Of the on phases, and of the off phases; the last three are of the phases' aborts and durations. Any thread adds to
 * them, some ten times a second; they are read when a report is made. They need no memory order, since no other data
 * are published by them. */
enum sum { PHASES, NS, TRANSACTIONS, ABORTS, ABORTS_SQUARE, ABORTS_US, US_SQUARE, SUMS };
static volatile AO_t on[SUMS], off[SUMS];

static const char *const facts[SUMS][2] = {
	[PHASES] = {"on_phases", "off_phases"},
	[NS] = {"on_ns", "off_ns"},
	[TRANSACTIONS] = {"on_transactions", "off_transactions"},
	[ABORTS] = {"on_aborts", "off_aborts"},
	[ABORTS_SQUARE] = {"on_aborts_square", "off_aborts_square"},
	[ABORTS_US] = {"on_aborts_us", "off_aborts_us"},
	[US_SQUARE] = {"on_us_square", "off_us_square"},
};

/* An on phase may last for nearly two periods: from an off phase at the beginning of its period to one at the end of
 * the next. Two off phases may follow each other directly. And a thread notices the change some time later. */
#define LONGEST_ON_NS (2 * ITM_PHASE_PERIOD_NS)
#define LONGEST_OFF_NS (2 * ITM_PHASE_OFF_NS + ITM_PHASE_OFF_NS / 2)

void itm_phase_add(bool is_off, const struct itm_phase_mark *from, const struct itm_phase_mark *to)
{
	volatile AO_t *sums = is_off ? off : on;
	uint64_t ns = to->at_ns - from->at_ns;
	/* Fewer restarts than before: libitm has freed its struct of the thread, and made a new one. */
	if (from->at_ns == 0 || ns > (is_off ? LONGEST_OFF_NS : LONGEST_ON_NS) || to->restarts < from->restarts)
		return;
	AO_fetch_and_add(&sums[PHASES], 1);
	AO_fetch_and_add(&sums[NS], ns);
	AO_fetch_and_add(&sums[TRANSACTIONS], to->transactions - from->transactions);
	uint64_t aborts = to->restarts - from->restarts, us = ns / 1000;
	AO_fetch_and_add(&sums[ABORTS], aborts);
	AO_fetch_and_add(&sums[ABORTS_SQUARE], aborts * aborts);
	AO_fetch_and_add(&sums[ABORTS_US], aborts * us);
	AO_fetch_and_add(&sums[US_SQUARE], us * us);
}

void itm_phases_set_facts(void)
{
	for (size_t i = 0; i < SUMS; i++)
		stmlog_set_fact(facts[i][0], AO_load(&on[i]));
	for (size_t i = 0; i < SUMS; i++)
		stmlog_set_fact(facts[i][1], AO_load(&off[i]));
}

void itm_phases_forget(void)
{
	for (size_t i = 0; i < SUMS; i++) {
		AO_store(&on[i], 0);
		AO_store(&off[i], 0);
	}
}
