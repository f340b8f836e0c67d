/* SPDX-License-Identifier: MIT
 *
 * Transactions that are measured late. In many programs a few transactions have most of the loss: they fail again and
 * again, and a sample of all transactions has hardly any of them. So all transactions that fail so often (late_from.h)
 * are timed, or measured closely, from then on. They stand for no others. A sampled transaction that is timed leaves
 * the sample with all of its attempts; of one that is measured closely, the attempts up to then stand for others.
 *
 * Without bursts (bursts.h) the further attempts are measured closely. With bursts, only those that begin in a burst
 * are. Their causes and culprits stand for those of the others, too, which are only timed.
 *
 * The agent *looks* at a transaction that is timed late when some of its restarts return: it reads the time stamp, and
 * decides whether to measure the transaction closely from now on, or to ask for a burst.
 */
#include "steps.h"

#include "blame.h"
#include "late_from.h"
#include "life.h"
#include "preemption.h"
#include "ticks.h"
#include "wait.h"

/* For begin.S. */
void itm_unmeasured_restarted(uint32_t result, uintptr_t *slot);
void itm_timed_restarted(uintptr_t *slot);

/* ---- measuring ---- */

/* The time that timing takes: for the first attempt with the report at the end, and for each further look. */
#define FIRST_NS 200
#define LOOK_NS 40

/* A transaction with so many failed attempts starves: it goes on failing until another transaction gets the processor
 * back, for example, or until libitm makes it run alone. */
#define STARVES_FROM 16

/* A burst is not whole while a transaction from before it goes on, whose earlier writes are recorded nowhere. A
 * transaction that starves is measured closely even then, so that at least its data are known. For others, the culprits
 * must be known, too (blame.h). */
static bool is_close_now(uint64_t failed)
{
	if (!itm_bursts_are_used() || itm_bursts_is_on())
		return true;
	return failed >= STARVES_FROM && AO_load(&itm_bursts.is_open) != 0;
}

/* The transaction is timed from its restart that has just happened, so far without being looked at. */
static void start_timing(struct itm_stopwatch *watch)
{
	watch->before = watch->failed;
	watch->returned = itm_ticks_now();
}

static void read_stamp(struct itm_stopwatch *watch)
{
	watch->restarted = itm_ticks_now();
	watch->looked = watch->failed;
}

/* A transaction that has begun without being measured is timed; start_timing(), or begin.S, has started. */
static void time_on(struct itm_thread *self, const uintptr_t *slot)
{
	struct itm_stopwatch *watch = &self->watch;
	self->flags = ITM_STOPWATCH | ITM_ARMED;
	self->entered = 0;
	watch->site = *slot;
	watch->began = watch->returned;
}

static void measure_on(struct itm_thread *self, uintptr_t *slot)
{
	itm_prepare();
	uint64_t now_ns = stmlog_now_ns(), failed = self->watch.failed;
	itm_late_from_choose(self, now_ns); /* the sample may be of one in a million transactions */
	itm_choose_late();
	self->flags = ITM_MEASURED | (itm_wait_is_possible() ? ITM_TIMED : 0);
	self->site_slot = slot;
	self->site = *slot;
	self->failures = (uint32_t)failed;
	self->commit_ticks = self->entered = 0;
	self->started_ns = now_ns;
	if (self->waiting != NULL)
		self->waiting->is_exclusive = false;
	stmlog_start_late(self->thread, now_ns, tb_address_site((const void *)self->site), TB_UNKNOWN, failed);
	if (!self->late.has_asked)
		itm_hook_set_loss_weight(self);
	itm_blame_begin();
	itm_hook_begin_next_attempt(self);
	self->late.cost_ns += itm_close_cost_ns();
}

/* The transaction is timed late. Has it measured closely if that is possible now, and returns whether it is. */
static bool goes_close(struct itm_thread *self, uintptr_t *slot)
{
	struct itm_stopwatch *watch = &self->watch;
	if (!is_close_now(watch->failed) || !itm_bursts_enter(self->ring))
		return false;
	if (watch->failed != watch->before)
		itm_stopwatch_failed();
	measure_on(self, slot);
	return true;
}

/* The transaction is timed. As all that fail so often are measured from here on, it stands for no other. */
static void begin_late(struct itm_thread *self, uintptr_t *slot)
{
	struct itm_stopwatch *watch = &self->watch;
	self->flags |= ITM_LATE;
	self->late.has_asked = false;
	watch->weight = 1;
	watch->look_from = watch->failed + 1;
	if (goes_close(self, slot))
		return;
	itm_late_timing_took(self, FIRST_NS);
	itm_stopwatch_leave_out_look(watch);
}

/* Whether the thread's transactions can be measured late. A thread without a ring is not attached. */
static bool is_possible(const struct itm_thread *self)
{
	return self->thread != NULL && self->ring != &itm_ring_dummy && itm_agent.has_steady_tsc &&
	       itm_agent.has_totals && itm_agent.options.sample != 1 && !stmlog_wants_places();
}

/* ---- restarts ---- */

/* A transaction that has lost ASKS_NS asks for a burst, in which its causes are found. The burst lasts for
 * ASKED_ATTEMPTS attempts. */
#define ASKS_NS 500000
#define ASKED_ATTEMPTS 3
#define ASKED_MAX_NS 50000000

static void ask_for_burst(struct itm_thread *self)
{
	const struct itm_stopwatch *watch = &self->watch;
	uint64_t lost_ns = itm_ticks_to_ns_cached(watch->restarted - watch->returned),
		 failed = watch->failed - watch->before;
	if (lost_ns >= ASKS_NS && failed != 0) {
		uint64_t for_ns = ASKED_ATTEMPTS * lost_ns / failed;
		itm_bursts_ask(self->ring, stmlog_now_ns(), for_ns < ASKED_MAX_NS ? for_ns : ASKED_MAX_NS);
	} else if (failed == STARVES_FROM) {
		/* It is not in this burst by chance, so its causes stand for no other transaction's. */
		self->late.has_asked = itm_bursts_ask_starving(self->ring, stmlog_now_ns());
	}
}

/* A look delays the next attempt. Where attempts take less time than a look, libitm's begin would fail less often than
 * without the agent. So there is a look about every LOOKS_NS, and one at each number of failures that matters. */
#define LOOKS_NS 1000

static uint64_t stop_at(uint64_t next, uint64_t failed, uint64_t stop)
{
	return failed < stop && stop < next ? stop : next;
}

static void look_later(struct itm_stopwatch *watch)
{
	uint64_t ticks = watch->restarted - watch->returned, failed = watch->failed;
	uint64_t attempts = itm_ticks_from_ns(LOOKS_NS) * (failed - watch->before) / (ticks + 1);
	uint64_t next = failed + 1 + attempts;
	watch->look_from = stop_at(stop_at(next, failed, watch->before + STARVES_FROM), failed, ITM_FAILURES_MAX + 1);
}

/* A look at a transaction that is timed late: it goes on being timed until a burst begins. */
static void look(struct itm_thread *self, uintptr_t *slot)
{
	if (goes_close(self, slot))
		return;
	ask_for_burst(self);
	look_later(&self->watch);
	itm_late_timing_took(self, LOOK_NS);
	itm_stopwatch_leave_out_look(&self->watch);
}

/* begin.S calls this when a timed transaction restarts that has failed often enough to be measured late, or to be
 * looked at again. */
void itm_timed_restarted(uintptr_t *slot)
{
	struct itm_thread *self = &itm_self;
	struct itm_stopwatch *watch = &self->watch;
	read_stamp(watch);
	if (watch->failed > ITM_FAILURES_MAX)
		itm_alone_request(self->ring, 0, ITM_WAY_STARVED);
	if (itm_was_preempted(self))
		itm_stopwatch_returned();
	self->depth = 1;
	if (self->flags & ITM_LATE) {
		look(self, slot);
	} else if (is_possible(self)) {
		watch->before = 0;
		begin_late(self, slot);
	}
}

/* begin.S calls this when begin returns once more for a transaction that has begun without being measured, if that has
 * failed often enough, or was interrupted, or has been measured closely since. */
void itm_unmeasured_restarted(uint32_t result, uintptr_t *slot)
{
	struct itm_thread *self = &itm_self;
	if (self->flags & ITM_MEASURED) {
		self->late.cost_ns += self->sampling.pace.first_ns + self->sampling.pace.rest_ns;
		itm_begin_returned(result);
		return;
	}
	if (itm_was_preempted(self)) { /* in the attempts before */
		itm_preemption_report_unmeasured(self, ITM_PREEMPTED_BEFORE_CANCEL);
		start_timing(&self->watch);
	}
	if (self->watch.failed < self->watch.late_from || !is_possible(self))
		return;
	read_stamp(&self->watch);
	time_on(self, slot);
	begin_late(self, slot);
}
