/* SPDX-License-Identifier: MIT */
#include "phases.h"

#include <atomic_ops.h>

#include <stmlog/runtime.h>

/* A fraction of [0, PERIOD - OFF] of its own for each period. */
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

/* Added to by any thread, some ten times a second; read when a report is made. Each figure is right by itself:
 * nothing is published by them, so that no order is needed. */
struct sums {
	volatile AO_t phases, ns, transactions, aborts;
};
static struct sums on, off;

/* Two neighbouring off phases leave a period and its on time twice between them, or may follow one another without
 * a gap; a thread learns of either some time later. */
#define LONGEST_ON_NS (2 * ITM_PHASE_PERIOD_NS)
#define LONGEST_OFF_NS (2 * ITM_PHASE_OFF_NS + ITM_PHASE_OFF_NS / 2)

void itm_phase_add(bool is_off, const struct itm_phase_mark *from, const struct itm_phase_mark *to)
{
	struct sums *sums = is_off ? &off : &on;
	uint64_t ns = to->at_ns - from->at_ns;
	/* Fewer restarts than before: libitm has let go of the thread and taken it up anew. */
	if (from->at_ns == 0 || ns > (is_off ? LONGEST_OFF_NS : LONGEST_ON_NS) || to->restarts < from->restarts)
		return;
	AO_fetch_and_add(&sums->phases, 1);
	AO_fetch_and_add(&sums->ns, ns);
	AO_fetch_and_add(&sums->transactions, to->transactions - from->transactions);
	AO_fetch_and_add(&sums->aborts, to->restarts - from->restarts);
}

void itm_phases_tell(void)
{
	stmlog_set_fact("on_phases", AO_load(&on.phases));
	stmlog_set_fact("on_ns", AO_load(&on.ns));
	stmlog_set_fact("on_transactions", AO_load(&on.transactions));
	stmlog_set_fact("on_aborts", AO_load(&on.aborts));
	stmlog_set_fact("off_phases", AO_load(&off.phases));
	stmlog_set_fact("off_ns", AO_load(&off.ns));
	stmlog_set_fact("off_transactions", AO_load(&off.transactions));
	stmlog_set_fact("off_aborts", AO_load(&off.aborts));
}

static void forget(struct sums *sums)
{
	AO_store(&sums->phases, 0);
	AO_store(&sums->ns, 0);
	AO_store(&sums->transactions, 0);
	AO_store(&sums->aborts, 0);
}

void itm_phases_forget(void)
{
	forget(&on);
	forget(&off);
}
