/* SPDX-License-Identifier: MIT
 *
 * Transactions that are measured late. In many programs a few transactions have most of the loss: they fail again and
 * again, and a sample of all transactions has hardly any of them. So from a number of failed attempts on, `late_from`,
 * the further attempts of each transaction are timed, or measured closely, and stand for no other transaction. A
 * sampled transaction stands for others only up to that attempt, and goes on in the same way.
 *
 * Without bursts (bursts.h) all of these are measured closely. With bursts, those are whose attempt begins in one. They
 * tell causes and culprits, also for the others, which are only timed.
 *
 * `late_from` is chosen before a transaction begins, and knows nothing of it. Otherwise the estimates would have a
 * bias. It grows while measuring late takes too much time: where all transactions fail often, the sample knows them.
 */
#include "hooks.h"

#include <x86intrin.h>

#include "blame.h"
#include "preemption.h"
#include "wait.h"

/* For begin.S. */
void itm_unmeasured_restarted(uint32_t result, uintptr_t *slot);
void itm_timed_restarted(uintptr_t *slot);

/* ---- from which attempt on ---- */

/* Measuring late may take this share of a thread's time, looked at about every LOOK_NS. */
#define SHARE 0.005
#define LOOK_NS 5000000

/* What timing takes: the first attempt with the report at the end, and each further attempt. */
#define FIRST_NS 200
#define AGAIN_NS 40

static void keep_share(struct itm_thread *self, uint64_t now_ns)
{
	struct itm_late *late = &self->late;
	double allowed_ns = SHARE * (double)(now_ns - late->since_ns);
	if (now_ns - late->since_ns < LOOK_NS)
		return;
	if (late->cost_ns > allowed_ns && self->watch.late_from < ITM_LATE_MAX)
		self->watch.late_from *= 2;
	else if (late->cost_ns < allowed_ns / 4 && self->watch.late_from > ITM_LATE_MIN)
		self->watch.late_from /= 2;
	late->since_ns = now_ns;
	late->cost_ns = 0;
}

/* ---- measuring ---- */

/* A transaction of which so many attempts have failed fails for as long as another one is off the processor, say, and
 * libitm makes it run alone in the end. */
#define STARVES_FROM 16

/* While the other transaction goes on, a burst is not whole: the writes from before are recorded nowhere. Of a
 * transaction that starves, the data at least are to be known; of others, the culprits, too (blame.h). */
static bool is_close_now(uint64_t failed)
{
	if (!itm_bursts_are_used() || itm_bursts_is_on())
		return true;
	return failed >= STARVES_FROM && AO_load(&itm_bursts.is_open) != 0;
}

/* So many attempts of the transaction have failed, of which `untimed` were neither measured nor timed. */
struct failed {
	uint64_t all, untimed;
};

static void time_on(struct itm_thread *self, const uintptr_t *slot, struct failed failed)
{
	struct itm_stopwatch *watch = &self->watch;
	self->flags = ITM_STOPWATCH | ITM_ARMED | ITM_LATE;
	self->entered = 0;
	self->late.has_asked = false;
	watch->site = *slot;
	watch->weight = 1;
	watch->failed = watch->before = failed.all;
	watch->untimed = failed.untimed;
	watch->began = watch->returned = watch->restarted = __rdtsc();
}

static void measure_on(struct itm_thread *self, uintptr_t *slot, struct failed failed, uint64_t now_ns)
{
	itm_choose_late();
	self->flags = ITM_MEASURED | (itm_wait_is_possible() ? ITM_TIMED : 0);
	self->site_slot = slot;
	self->site = *slot;
	self->failures = (uint32_t)failed.all;
	self->late.untimed = failed.untimed;
	self->inside = self->entered = 0;
	self->tries.len = 0;
	self->started_ns = now_ns;
	if (self->waiting != NULL)
		self->waiting->is_exclusive = false;
	stmlog_start_late(self->thread, now_ns, tb_address_site((const void *)self->site), TB_UNKNOWN, failed.all);
	if (!self->late.has_asked)
		itm_hook_stands_alone(self);
	itm_blame_begin();
	itm_hook_resumes(self);
	self->late.cost_ns += itm_agent.probe_ns;
}

static void begin_late(struct itm_thread *self, uintptr_t *slot, struct failed failed)
{
	uint64_t now_ns = stmlog_now_ns();
	keep_share(self, now_ns);
	self->late.cost_ns += FIRST_NS;
	if (is_close_now(failed.all) && itm_bursts_enter(self->ring))
		measure_on(self, slot, failed, now_ns);
	else
		time_on(self, slot, failed);
	self->depth = 1;
}

/* A thread without a ring is not attached. Of hardware transactions libitm's begin repeats some by itself; callers
 * within a transaction are looked at after each restart (callers.h). */
static bool is_possible(const struct itm_thread *self)
{
	return self->thread != NULL && self->ring != &itm_ring_dummy && itm_agent.has_steady_tsc &&
	       itm_agent.has_totals && itm_agent.options.sample != 1 && !(self->flags & ITM_EXPLORED) &&
	       self->calls == NULL && !itm_hardware_is_watched() && !stmlog_wants_places();
}

/* ---- restarts ---- */

/* Of a transaction that is not measured; its number tells whether it is the same as before. */
static uint64_t count_failure(struct itm_thread *self)
{
	uint64_t transaction = itm_counts_over(&self->ring->counts) + 1;
	if (self->late.transaction != transaction)
		self->late.failed = 0;
	self->late.transaction = transaction;
	return ++self->late.failed;
}

/* A transaction that has lost so much asks for a burst, which tells why: it lasts for so many attempts. */
#define ASKS_NS 500000
#define ASKED_ATTEMPTS 3
#define ASKED_MAX_NS 50000000

static void ask_for_burst(struct itm_thread *self)
{
	const struct itm_stopwatch *watch = &self->watch;
	uint64_t lost_ns = itm_wait_ns_again(watch->restarted - watch->returned),
		 failed = watch->failed - watch->before;
	if (lost_ns >= ASKS_NS && failed != 0) {
		uint64_t for_ns = ASKED_ATTEMPTS * lost_ns / failed;
		itm_bursts_ask(self->ring, stmlog_now_ns(), for_ns < ASKED_MAX_NS ? for_ns : ASKED_MAX_NS);
	} else if (failed == STARVES_FROM) {
		/* It is not in this burst by chance, so its causes stand for no other transaction's. */
		self->late.has_asked = itm_bursts_ask_starving(self->ring, stmlog_now_ns());
	}
}

/* What was lost so far is reported; a transaction that is timed late goes on to be, until a burst begins. */
void itm_timed_restarted(uintptr_t *slot)
{
	struct itm_thread *self = &itm_self;
	self->late.cost_ns += AGAIN_NS;
	if (itm_was_preempted(self))
		itm_stopwatch_returned();
	self->depth = 1;
	if ((self->flags & ITM_LATE) && !is_close_now(self->watch.failed)) {
		ask_for_burst(self);
		return;
	}
	if (!is_possible(self))
		return;
	itm_stopwatch_failed();
	begin_late(self, slot, (struct failed){self->watch.failed, 0});
}

static void timed_returned(struct itm_thread *self, uint32_t result, uintptr_t *slot)
{
	self->watch.restarted = __rdtsc();
	self->watch.failed++;
	if (self->watch.failed > ITM_FAILURES)
		itm_alone_asks(self->ring, 0, ITM_WAY_STARVED);
	if (result & ITM_ABORTED)
		itm_stopwatch_cancelled();
	else
		itm_timed_restarted(slot);
}

/* begin.S calls this when begin returns once more for a transaction that has begun without being measured. */
void itm_unmeasured_restarted(uint32_t result, uintptr_t *slot)
{
	struct itm_thread *self = &itm_self;
	if (self->flags & ITM_MEASURED) {
		self->late.cost_ns += self->sampling.pace.first_ns + self->sampling.pace.rest_ns;
		itm_begin_returned(result);
	} else if (self->flags & ITM_STOPWATCH) {
		timed_returned(self, result, slot);
	} else if (!(result & ITM_ABORTED)) {
		self->depth = 1;
		if (itm_was_preempted(self)) /* in the attempts before */
			itm_preempted_inside(self, ITM_PREEMPTED_BEFORE_CANCEL);
		if (is_possible(self) && count_failure(self) >= self->watch.late_from)
			begin_late(self, slot, (struct failed){self->late.failed, self->late.failed});
	}
}
