/* SPDX-License-Identifier: MIT
 * Finds how much time a thread was off the processor, and in which transactions. */
#include "preemption.h"

#include <sys/resource.h>

#include "agent.h"
#include "counts.h"
#include "filter.h"
#include "requires.h"
#include "ring.h"
#include "ticks.h"

/* ---- looking ---- */

bool itm_preemption_is_watched(void)
{
	return !native_is_filtered() && itm_method_is_optimistic(itm_agent.method) &&
	       stmlog_interruption_word(NULL) != NULL;
}

/* The transactions of the thread up to now. */
static uint64_t transactions(const struct itm_thread *self)
{
	return self->sampling.passed + itm_counts_over(&self->ring->counts) - self->sampling.over;
}

/* A thread that was not interrupted since the last look has not slept since. */
uint64_t itm_preemption_sleeps(const struct itm_thread *self)
{
	struct rusage usage = {.ru_nvcsw = (long)self->usual.sleeps};
	if (itm_was_preempted(self) && !native_is_filtered())
		getrusage(RUSAGE_THREAD, &usage);
	return (uint64_t)usage.ru_nvcsw;
}

/* A thread is hardly ever interrupted within a look, unless a tracer or a sandbox stops its system calls. Then each of
 * its transactions would need a look, so the thread stops looking. */
static void note_end_of_look(struct itm_thread *self)
{
	enum { STOPPED_LOOKS_MAX = 8 };
	self->usual.stopped_looks = *self->critical == 0 ? self->usual.stopped_looks + 1 : 0;
	if (self->usual.stopped_looks < STOPPED_LOOKS_MAX)
		return;
	itm_preemption_end();
	stmlog_set_fact("descheduled_known", 0);
}

/* The part of the time from one begin to the next in which a look cannot know whether the thread is in a transaction:
 * the hooks of begin and commit. A share of the time off the processor that was found may therefore belong outside of
 * transactions, and as much of that found outside may belong to transactions. */
#define HOOKS_NS 100

static void report_off_ns(struct itm_thread *self, uint64_t off_ns)
{
	double share = self->usual.cycle_ns > HOOKS_NS ? HOOKS_NS / self->usual.cycle_ns : 1;
	if (off_ns != 0)
		stmlog_descheduled(self->thread, off_ns, (uint64_t)((double)off_ns * share));
}

/* Reports presumed sleep, of which the thread slept for `wait_ns`, and had no processor for `off_ns`. The rest passed
 * in failed attempts. The wait stands for no other transaction: it is found in all of them. */
static void report_presumed_sleep(struct itm_thread *self, uint64_t wait_ns, uint64_t off_ns)
{
	uint64_t presumed_ns = self->usual.presumed.wait_ns;
	struct stmlog_timed_transaction timed = self->usual.presumed.timed;
	const struct stmlog_timed_transaction wait = {
		.site = timed.site, .weight = 1, .is_apart = true, .waiting_ns = wait_ns};
	if (presumed_ns == 0)
		return;
	self->usual.presumed.wait_ns = 0;
	timed.aborted_ns +=
		(uint64_t)((double)(presumed_ns - wait_ns - off_ns) * self->usual.presumed.attempts_per_timed);
	stmlog_timed(self->thread, &timed);
	if (wait_ns != 0)
		stmlog_timed(self->thread, &wait);
	report_off_ns(self, off_ns);
}

/* A look tells how long the thread slept where sleep was presumed. Within a closely measured transaction nothing can be
 * reported of another one, so a later look does. */
static void end_presumed_sleep(struct itm_thread *self, struct stmlog_moment moment)
{
	struct itm_usual *usual = &self->usual;
	if (self->flags & ITM_MEASURED)
		return;
	uint64_t off_ns = moment.off_ns > usual->presumed.off_ns ? moment.off_ns - usual->presumed.off_ns : 0;
	if (off_ns > usual->presumed.wait_ns)
		off_ns = usual->presumed.wait_ns;
	if (moment.sleeps != usual->presumed.sleeps)
		report_presumed_sleep(self, off_ns, 0);
	else
		report_presumed_sleep(self, 0, off_ns);
	usual->presumed.is_begun = false;
}

/* Reads the thread's time off the processor, and notices interruptions from here on. */
static struct stmlog_moment look_again(struct itm_thread *self)
{
	if (native_is_filtered()) {
		itm_preemption_end();
		return (struct stmlog_moment){stmlog_now_ns(), self->usual.off_ns, self->usual.sleeps};
	}
	struct stmlog_moment moment = stmlog_interruption_look(self->critical);
	note_end_of_look(self);
	end_presumed_sleep(self, moment);
	return moment;
}

static void start_from(struct itm_thread *self, struct stmlog_moment moment)
{
	self->usual.at_ns = moment.now_ns;
	self->usual.off_ns = moment.off_ns;
	self->usual.sleeps = moment.sleeps;
	self->usual.transactions = transactions(self);
	self->usual.alone = itm_alone_so_far();
}

void itm_preemption_discard_if_any(struct itm_thread *self)
{
	if (itm_was_preempted(self))
		start_from(self, look_again(self));
}

void itm_preemption_begin(void)
{
	struct itm_thread *self = &itm_self;
	volatile uint64_t *word = stmlog_interruption_word(self->thread);
	self->usual = (struct itm_usual){.cycle_ns = 0};
	if (!itm_preemption_is_watched())
		return;
	self->critical = word;
	start_from(self, look_again(self));
}

void itm_preemption_end(void)
{
	struct itm_thread *self = &itm_self;
	if (self->critical != &itm_never_interrupted)
		stmlog_interruption_end(self->critical);
	report_presumed_sleep(self, self->usual.presumed.wait_ns, 0);
	self->critical = &itm_never_interrupted;
}

/* ---- times ---- */

/* A moving average over stretches in which the thread was never interrupted. */
void itm_preemption_learn(struct itm_thread *self, uint64_t now_ns)
{
	struct itm_usual *usual = &self->usual;
	uint64_t count = transactions(self) - usual->transactions;
	if (count != 0 && now_ns > usual->at_ns) {
		double cycle_ns = (double)(now_ns - usual->at_ns) / (double)count;
		usual->cycle_ns += (cycle_ns - usual->cycle_ns) / (usual->cycle_ns > 0 ? 8 : 1);
	}
	usual->at_ns = now_ns;
	usual->transactions += count;
	usual->alone = itm_alone_so_far();
}

uint64_t itm_preemption_beyond(const struct itm_thread *self, uint64_t ns)
{
	uint64_t usual_ns = (uint64_t)self->usual.cycle_ns;
	return ns > usual_ns ? ns - usual_ns : 0;
}

void itm_preemption_discard(void)
{
	start_from(&itm_self, look_again(&itm_self));
}

/* Time off the processor since the clock was read last. The kernel does not count the time of interrupts as the
 * thread's either; that of earlier transactions is left out. */
static uint64_t off_since(const struct itm_thread *self, struct stmlog_moment moment)
{
	uint64_t more_ns = moment.off_ns > self->usual.off_ns ? moment.off_ns - self->usual.off_ns : 0;
	uint64_t passed_ns = moment.now_ns - self->usual.at_ns;
	return more_ns < passed_ns ? more_ns : passed_ns;
}

static bool has_slept(const struct itm_thread *self, struct stmlog_moment moment)
{
	return moment.sleeps != self->usual.sleeps;
}

/* As the ring has it. */
static AO_t off_with_sleep(const struct itm_thread *self, struct stmlog_moment moment, uint64_t off_ns)
{
	return off_ns | (has_slept(self, moment) ? ITM_RING_ASLEEP : 0);
}

AO_t itm_preemption_off_later(const struct itm_thread *self)
{
	bool has_slept = itm_preemption_sleeps(self) != self->usual.sleeps;
	return ITM_RING_OFF_UNKNOWN | (has_slept ? ITM_RING_ASLEEP : 0);
}

/* Reports time off the processor to the library, and to other threads, which may have waited for the transaction under
 * way. */
static void report_off(struct itm_thread *self, struct stmlog_moment moment, uint64_t more_ns)
{
	report_off_ns(self, more_ns);
	itm_ring_interrupt(self->ring, off_with_sleep(self, moment, more_ns), itm_ticks_now());
}

uint64_t itm_preemption_report(struct itm_thread *self)
{
	struct stmlog_moment moment = look_again(self);
	uint64_t more_ns = off_since(self, moment);
	report_off(self, moment, more_ns);
	start_from(self, moment);
	return more_ns;
}

/* The time that `count` transactions usually take. */
static uint64_t usual_ns(const struct itm_thread *self, uint64_t count)
{
	return (uint64_t)((double)count * self->usual.cycle_ns);
}

/* The time since the clock was read last, beyond the usual, and without `more_ns` off the processor. */
static uint64_t beyond_since(const struct itm_thread *self, struct stmlog_moment moment, uint64_t more_ns)
{
	uint64_t passed_ns = moment.now_ns - self->usual.at_ns;
	uint64_t expected_ns = more_ns + usual_ns(self, transactions(self) - self->usual.transactions + 1);
	return passed_ns > expected_ns ? passed_ns - expected_ns : 0;
}

/* ---- presumed sleep ---- */

/* Where some transactions run alone, threads sleep thousands of times a second until they have the serial lock. A
 * thread that asks the kernel whether it slept does so in its transaction, and at the end of a system call the kernel
 * may give the processor to another thread: then others wait for that transaction. So a thread that was interrupted
 * where it may sleep is presumed to have slept, if a transaction has run alone since the clock was read last, and if
 * that is so short ago that the thread has hardly lost a time slice. When the transaction has committed, the next begin
 * asks the kernel, so that errors do not add up; only then the wait is reported. */
#define PRESUMED_MAX_NS 2000000

/* Returns whether the thread is presumed to have slept. Then *off_ns is the time since the clock was read last, beyond
 * the usual. */
static bool presume_asleep(struct itm_thread *self, uint64_t *off_ns)
{
	struct itm_usual *usual = &self->usual;
	struct stmlog_moment now = {.now_ns = stmlog_now_ns(), .sleeps = usual->sleeps + 1};
	bool has_run_alone = itm_alone_so_far() != usual->alone || *itm_serial_word != 0;
	if (!has_run_alone || now.now_ns - usual->at_ns > PRESUMED_MAX_NS)
		return false;
	*off_ns = beyond_since(self, now, 0);
	now.off_ns = usual->off_ns + *off_ns;
	if (!usual->presumed.is_begun) {
		usual->presumed.is_begun = true;
		usual->presumed.off_ns = usual->off_ns;
		usual->presumed.sleeps = usual->sleeps;
	}
	stmlog_interruption_watch(self->critical);
	start_from(self, now);
	self->flags |= ITM_PRESUMED;
	return true;
}

void itm_preemption_report_presumed_later(struct itm_thread *self, uint64_t wait_ns,
	const struct stmlog_timed_transaction *timed, double attempts_per_timed)
{
	REQUIRES(wait_ns > 0);
	report_presumed_sleep(
		self, self->usual.presumed.wait_ns, 0); /* of an earlier transaction, if there was no look */
	self->usual.presumed.wait_ns = wait_ns;
	self->usual.presumed.timed = *timed;
	self->usual.presumed.attempts_per_timed = attempts_per_timed;
	if (!self->usual.presumed.is_begun)
		report_presumed_sleep(self, wait_ns, 0);
}

void itm_preemption_discard_wait(struct itm_thread *self)
{
	uint64_t off_ns;
	if (itm_was_preempted(self) && !presume_asleep(self, &off_ns))
		itm_preemption_discard();
}

void itm_preemption_end_presumption(struct itm_thread *self)
{
	self->flags &= ~(uint32_t)ITM_PRESUMED;
	stmlog_interruption_end(self->critical); /* as if the thread had been interrupted now */
}

/* ---- reports ---- */

uint64_t itm_preemption_report_unless_asleep(struct itm_thread *self, uint64_t sleeps, bool *has_slept)
{
	uint64_t presumed_ns;
	if (presume_asleep(self, &presumed_ns)) {
		*has_slept = true;
		return presumed_ns;
	}
	struct stmlog_moment moment = look_again(self);
	uint64_t more_ns = off_since(self, moment);
	*has_slept = moment.sleeps != sleeps;
	if (!*has_slept)
		report_off(self, moment, more_ns);
	start_from(self, moment);
	return more_ns;
}

/* The least time that an attempt takes, about. */
#define ATTEMPT_NS 50

/* Whether sleep of the thread, after a failed attempt, was a wait until it had the serial lock for the next one. */
static bool may_have_waited(const struct itm_thread *self, uint64_t failed)
{
	return failed != 0 && !(self->flags & ITM_UPGRADED);
}

/* The part of `ns` that failed attempts have taken: each about as long as a transaction. */
static uint64_t failed_ns(const struct itm_thread *self, uint64_t failed, uint64_t ns)
{
	uint64_t max_ns = usual_ns(self, failed);
	return ns < max_ns ? ns : max_ns;
}

/* The time is either work of this transaction or a wait in an earlier transaction's commit: half counts as each. */
static void halve(struct stmlog_timed_transaction *timed, uint64_t ns)
{
	timed->committed_ns = ns / 2;
	timed->paused_ns = ns - ns / 2;
}

/* The time that the interrupted transaction took beyond the usual, by its parts. */
static struct stmlog_timed_transaction beyond(
	const struct itm_thread *self, enum itm_preempted where, uint64_t ns, uint64_t failed)
{
	struct stmlog_timed_transaction timed = {
		.site = tb_address_site((const void *)itm_ring_site(self->ring)), .weight = 1, .is_apart = true};
	if (where == ITM_PREEMPTED_UPGRADING)
		timed.paused_ns = ns;
	else if (where == ITM_PREEMPTED_BEFORE_CANCEL || failed * ATTEMPT_NS > ns / 2)
		timed.aborted_ns = ns;
	else
		halve(&timed, ns);
	return timed;
}

/* The thread slept until it had the serial lock. */
static struct stmlog_timed_transaction waited(
	const struct itm_thread *self, enum itm_preempted where, uint64_t off_ns, uint64_t ns, uint64_t failed)
{
	uint64_t aborted_ns = failed_ns(self, failed, ns);
	struct stmlog_timed_transaction timed = beyond(self, where, ns - aborted_ns, 0);
	timed.aborted_ns += aborted_ns;
	timed.waiting_ns = off_ns;
	return timed;
}

uint64_t itm_preemption_report_commit(struct itm_thread *self, uint64_t *off_ns)
{
	struct stmlog_moment moment = look_again(self);
	*off_ns = off_since(self, moment);
	uint64_t beyond_ns = beyond_since(self, moment, *off_ns);
	report_off(self, moment, *off_ns);
	itm_ring_interrupt_commit(self->ring, off_with_sleep(self, moment, *off_ns), itm_ticks_now());
	start_from(self, moment);
	return beyond_ns;
}

/* As itm_preemption_report_unmeasured(), if the thread can be presumed to have slept before another attempt. */
static bool report_presumed(struct itm_thread *self, enum itm_preempted where, uint64_t failed)
{
	uint64_t ns;
	if (where != ITM_PREEMPTED_BEFORE_CANCEL || !may_have_waited(self, failed) || !presume_asleep(self, &ns))
		return false;
	uint64_t aborted_ns = failed_ns(self, failed, ns);
	struct stmlog_timed_transaction timed = beyond(self, where, aborted_ns, failed);
	itm_ring_forget_unknown_off(self->ring);
	if (ns > aborted_ns)
		itm_preemption_report_presumed_later(self, ns - aborted_ns, &timed, 1);
	else
		stmlog_timed(self->thread, &timed);
	return true;
}

void itm_preemption_report_unmeasured(struct itm_thread *self, enum itm_preempted where)
{
	uint64_t failed = itm_counts_new(&self->ring->counts, itm_restarts());
	if (report_presumed(self, where, failed))
		return;
	struct stmlog_moment moment = look_again(self);
	uint64_t more_ns = off_since(self, moment), beyond_ns = beyond_since(self, moment, more_ns);
	struct stmlog_timed_transaction timed = beyond(self, where, beyond_ns, failed);
	if (where == ITM_PREEMPTED_UPGRADING && has_slept(self, moment))
		timed.paused_ns += more_ns;
	else if (may_have_waited(self, failed) && has_slept(self, moment))
		timed = waited(self, where, more_ns, beyond_ns, failed);
	else
		report_off(self, moment, more_ns);
	itm_ring_forget_unknown_off(self->ring);
	if (beyond_ns + timed.waiting_ns + timed.paused_ns != 0)
		stmlog_timed(self->thread, &timed);
	start_from(self, moment);
}
