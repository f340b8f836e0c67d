/* SPDX-License-Identifier: MIT
 * Computes the parts of a timed transaction from its time stamps, and reports them. */
#include "stopwatch.h"

#include <string.h>

#include "agent.h"
#include "preemption.h"
#include "requires.h"
#include "ticks.h"
#include "wait.h"

/* The ticks that one reading of the time stamp takes, if nothing but readings happens. Constant after
 * itm_stopwatch_prepare(). */
static uint64_t reading;

/* Between other instructions a reading takes about half as long. A failed attempt contains one reading. A transaction
 * contains three more, but lacks the time that the hooks of begin and commit take in every transaction, before the
 * first reading and after the last one: about that of two readings. */
#define IN_BETWEEN (reading / 2)

/* Some time stamp counters advance in steps that are longer than a reading, so many readings are timed together. */
void itm_stopwatch_prepare(void)
{
	REQUIRES(itm_agent.has_steady_tsc);
	enum { TRIES = 64, TOGETHER = 16 };
	uint64_t shortest = UINT64_MAX;
	for (int i = 0; i < TRIES; i++) {
		uint64_t first = itm_ticks_now(), last = first;
		for (int j = 0; j < TOGETHER; j++)
			last = itm_ticks_now();
		shortest = last - first < shortest ? last - first : shortest;
	}
	reading = shortest / TOGETHER;
}

/* ---- durations ---- */

/* The durations of a transaction's stretches, in ticks. */
static void stretches_of(const struct itm_stopwatch *watch, uint64_t ended, uint64_t *ticks)
{
	ticks[ITM_BEGINNING] = watch->returned - watch->began;
	ticks[ITM_RETRYING] = watch->restarted - watch->returned;
	ticks[ITM_WORKING] = watch->committing - watch->restarted;
	ticks[ITM_COMMITTING] = ended - watch->committing;
}

/* Between the last look and a stretch's end there are some instructions. So the time off the processor that was found
 * in a stretch may in part be of the stretch before. */
static void subtract_off(uint64_t *ticks, enum itm_stretch where, uint64_t off)
{
	static const enum itm_stretch others[] = {ITM_COMMITTING, ITM_WORKING, ITM_RETRYING, ITM_BEGINNING};
	uint64_t taken = off < ticks[where] ? off : ticks[where];
	ticks[where] -= taken;
	for (size_t i = 0; i < ITM_STRETCHES && taken < off; i++) {
		uint64_t more = off - taken < ticks[others[i]] ? off - taken : ticks[others[i]];
		ticks[others[i]] -= more;
		taken += more;
	}
}

/* ---- parts, as the report has them ---- */

/* In ticks. */
struct parts {
	uint64_t working, aborted, paused, waiting;
};

static uint64_t saturating_minus(uint64_t minuend, uint64_t subtrahend)
{
	return minuend > subtrahend ? minuend - subtrahend : 0;
}

static void add_wait(struct parts *parts, const struct itm_thread *self, enum itm_wait wait, uint64_t ticks)
{
	struct stmlog_cause cause = itm_cause_of_wait(wait, itm_agent.method, self->flags & ITM_SERIAL);
	*(cause.reason == STMLOG_PAUSE ? &parts->paused : &parts->waiting) += ticks;
}

static uint64_t beyond(uint64_t ticks, uint64_t min)
{
	return ticks > min ? ticks - ITM_WAIT_OWN : 0;
}

/* The wait in libitm's begin, as itm_wait_timer_stop_and_report_begin() finds it. */
static uint64_t begin_wait(const struct itm_thread *self, uint64_t ticks)
{
	return beyond(ticks, self->flags & ITM_FIRST ? ITM_WAIT_MIN_FIRST : ITM_WAIT_MIN_BEGIN);
}

/* Commit checks all reads once more. A wait that is shorter than that may take is no loss to
 * itm_wait_report_commit(). Here half of it is a pause. */
static uint64_t commit_wait(const uint64_t *ticks)
{
	uint64_t took = beyond(ticks[ITM_COMMITTING], ITM_WAIT_MIN);
	if (took >= (ticks[ITM_BEGINNING] + ticks[ITM_RETRYING] + ticks[ITM_WORKING]) / 8)
		return took;
	return took / 2;
}

/* The time that readings at restarts have taken. In a transaction that is timed late, the time stamp is read at few
 * restarts (late.c). */
static uint64_t ticks_of_restart_readings(const struct itm_thread *self)
{
	return self->flags & ITM_LATE ? 0 : self->watch.failed * IN_BETWEEN;
}

static struct parts parts_of(const struct itm_thread *self, const uint64_t *ticks)
{
	struct parts parts = {.aborted = ticks[ITM_RETRYING]};
	parts.aborted = saturating_minus(parts.aborted, ticks_of_restart_readings(self));
	uint64_t whole = ticks[ITM_BEGINNING] + ticks[ITM_RETRYING] + ticks[ITM_WORKING] + ticks[ITM_COMMITTING];
	if (itm_wait_is_possible()) {
		add_wait(&parts, self, ITM_WAIT_BEGIN, begin_wait(self, ticks[ITM_BEGINNING]));
		add_wait(&parts, self, ITM_WAIT_UPGRADE, self->watch.upgrading);
		add_wait(&parts, self, ITM_WAIT_COMMIT, commit_wait(ticks));
	}
	uint64_t others = parts.aborted + parts.paused + parts.waiting + ticks_of_restart_readings(self) + IN_BETWEEN;
	parts.working = saturating_minus(whole, others);
	return parts;
}

static void move_to_aborted(struct parts *parts)
{
	parts->aborted += parts->working;
	parts->working = 0;
}

/* ---- reports ---- */

static struct stmlog_timed_transaction timed_of(const struct itm_thread *self, const struct parts *parts)
{
	uint64_t committed_ns = itm_ticks_to_ns(parts->working);
	bool is_late = self->flags & ITM_LATE;
	uint64_t failed = self->watch.failed - (is_late ? self->watch.before : 0);
	return (struct stmlog_timed_transaction){
		.site = tb_address_site((const void *)self->watch.site),
		.weight = self->watch.weight,
		.is_apart = is_late,
		.failed = itm_agent.has_totals ? failed : 0,
		.committed_ns = committed_ns,
		.aborted_ns = itm_ticks_to_ns_cached(parts->aborted),
		.paused_ns = itm_ticks_to_ns_cached(parts->paused),
		.waiting_ns = itm_ticks_to_ns_cached(parts->waiting),
	};
}

/* The attempts that failed before the transaction was timed took about as long as those that were. If none has failed
 * since, they took about as long as the one that has committed; if none has, their time is not known. */
static void add_untimed(const struct itm_stopwatch *watch, struct stmlog_timed_transaction *timed)
{
	uint64_t untimed = watch->before;
	uint64_t mean_ns = timed->failed != 0 ? timed->aborted_ns / timed->failed : timed->committed_ns;
	if (timed->failed == 0 && !timed->has_committed)
		return;
	timed->aborted_ns += untimed * mean_ns;
	timed->failed += untimed;
}

/* Takes the time beyond the usual off a part of the timed transaction, and returns it. */
static uint64_t subtract_beyond(const struct itm_thread *self, uint64_t *part_ns)
{
	uint64_t more_ns = itm_preemption_beyond(self, *part_ns);
	*part_ns -= more_ns;
	return more_ns;
}

/* Reports the time beyond the usual of interrupted parts, on its own. */
static void report_beyond(struct itm_thread *self, struct stmlog_timed_transaction *timed)
{
	const uint64_t *off = self->watch.off;
	struct stmlog_timed_transaction more = {.site = timed->site, .weight = 1, .is_apart = true};
	if (off[ITM_RETRYING] != 0)
		more.aborted_ns = subtract_beyond(self, &timed->aborted_ns);
	if (off[ITM_WORKING] != 0)
		more.committed_ns = subtract_beyond(self, &timed->committed_ns);
	if (more.aborted_ns + more.committed_ns != 0)
		stmlog_timed(self->thread, &more);
	if (off[ITM_COMMITTING] != 0)
		itm_wait_report_unmeasured_commit(
			self, subtract_beyond(self, &timed->paused_ns), itm_ticks_to_ns(off[ITM_COMMITTING]));
	else if (timed->has_committed && itm_wait_report_preempted_commit(self, timed->weight, timed->paused_ns))
		timed->paused_ns = 0;
}

/* Takes sleep before another attempt out of the transaction, and returns its length in ns. */
static uint64_t subtract_asleep(struct itm_thread *self, uint64_t *ticks)
{
	uint64_t asleep = self->watch.asleep;
	if (STMLOG_LIKELY(asleep == 0))
		return 0;
	if (asleep > ticks[ITM_RETRYING])
		asleep = ticks[ITM_RETRYING];
	ticks[ITM_RETRYING] -= asleep;
	self->watch.asleep = 0;
	return itm_ticks_to_ns(asleep);
}

/* Reports the transaction and its sleep, which stands for no other transaction: it is found in all of them
 * (preemption.h). Each of its failed attempts that was timed stands for `attempts_per_timed`. */
static void report_with_sleep(struct itm_thread *self, const struct stmlog_timed_transaction *timed, uint64_t asleep_ns,
	double attempts_per_timed)
{
	const struct stmlog_timed_transaction wait = {
		.site = timed->site, .weight = 1, .is_apart = true, .waiting_ns = asleep_ns};
	if (asleep_ns != 0 && (self->flags & ITM_PRESUMED)) {
		itm_preemption_report_presumed_later(self, asleep_ns, timed, attempts_per_timed);
		return;
	}
	stmlog_timed(self->thread, timed);
	if (asleep_ns != 0)
		stmlog_timed(self->thread, &wait);
}

/* The time off the processor up to `ended`. Since then the thread may have been interrupted once more. */
static uint64_t off_until(struct itm_thread *self, uint64_t ended)
{
	uint64_t off = itm_ticks_from_ns(itm_preemption_report(self)), since = itm_ticks_now() - ended;
	return off > since ? off - since : 0;
}

static void subtract_all_off(const struct itm_stopwatch *watch, uint64_t *ticks)
{
	for (int stretch = 0; stretch < ITM_STRETCHES; stretch++)
		if (watch->off[stretch] != 0)
			subtract_off(ticks, (enum itm_stretch)stretch, watch->off[stretch]);
}

/* `ended`: the last time stamp, of the stretch `last`. */
static void report(struct itm_thread *self, uint64_t *ticks, enum itm_stretch last, uint64_t ended, bool has_committed)
{
	struct itm_stopwatch *watch = &self->watch;
	if (itm_was_preempted(self))
		watch->off[last] += off_until(self, ended);
	subtract_all_off(watch, ticks);
	uint64_t asleep_ns = subtract_asleep(self, ticks);
	struct parts parts = parts_of(self, ticks);
	if (!has_committed)
		move_to_aborted(&parts);
	struct stmlog_timed_transaction timed = timed_of(self, &parts);
	timed.has_committed = has_committed;
	double failed = (double)timed.failed;
	report_beyond(self, &timed);
	if (self->flags & ITM_LATE) {
		self->late.lost_ns += (double)timed.aborted_ns;
		add_untimed(&self->watch, &timed);
	}
	report_with_sleep(self, &timed, asleep_ns, failed > 0 ? (double)timed.failed / failed : 1);
	watch->upgrading = 0;
	memset(watch->off, 0, sizeof watch->off);
}

/* ---- interruptions ---- */

void itm_stopwatch_leave_out_look(struct itm_stopwatch *watch)
{
	uint64_t took = itm_ticks_now() - watch->restarted;
	watch->began += took;
	watch->returned += took;
	watch->restarted += took;
}

/* Before begin's first return libitm may have waited for the serial lock; before a later return too, until the next
 * attempt could begin. */
void itm_stopwatch_returned(void)
{
	struct itm_thread *self = &itm_self;
	struct itm_stopwatch *watch = &self->watch;
	bool is_first = watch->failed == 0, has_slept = false;
	bool may_sleep = is_first ? (self->flags & ITM_SERIAL) != 0 : !(self->flags & ITM_UPGRADED);
	uint64_t sleeps = is_first ? watch->sleeps : self->usual.sleeps;
	uint64_t off_ns =
		may_sleep ? itm_preemption_report_unless_asleep(self, sleeps, &has_slept) : itm_preemption_report(self);
	if (!has_slept)
		watch->off[is_first ? ITM_BEGINNING : ITM_RETRYING] += itm_ticks_from_ns(off_ns);
	else if (!is_first)
		watch->asleep += itm_ticks_from_ns(off_ns);
	itm_stopwatch_leave_out_look(watch);
}

void itm_stopwatch_interrupted(struct itm_thread *self)
{
	self->watch.committing = itm_ticks_now();
	self->watch.off[ITM_WORKING] += itm_ticks_from_ns(itm_preemption_report(self));
}

/* ---- the end ---- */

/* A longer time is not the agent's own work: the thread was interrupted. */
#define OWN_MAX 65536

static void learn_own(struct itm_stopwatch *watch, uint64_t took)
{
	if (took < OWN_MAX)
		watch->own_ns += ((double)itm_ticks_to_ns_cached(took) - watch->own_ns) / (watch->own_ns > 0 ? 16 : 1);
}

/* Estimates when the last attempt began: the attempts since the last look, the last one included, took about equally
 * long. */
static void estimate_restart(struct itm_stopwatch *watch)
{
	uint64_t failed = watch->failed - watch->looked, took = watch->committing - watch->restarted;
	if (failed == 0)
		return;
	watch->restarted += took / (failed + 1) * failed;
}

void itm_stopwatch_committed(struct itm_thread *self, uint64_t ended)
{
	uint64_t ticks[ITM_STRETCHES];
	if (self->flags & ITM_LATE)
		estimate_restart(&self->watch);
	stretches_of(&self->watch, ended, ticks);
	report(self, ticks, ITM_COMMITTING, ended, true);
	learn_own(&self->watch, itm_ticks_now() - ended);
}

void itm_stopwatch_failed(void)
{
	struct itm_thread *self = &itm_self;
	uint64_t ticks[ITM_STRETCHES] = {
		[ITM_BEGINNING] = self->watch.returned - self->watch.began,
		[ITM_RETRYING] = self->watch.restarted - self->watch.returned,
	};
	report(self, ticks, ITM_RETRYING, self->watch.restarted, false);
}

void itm_stopwatch_cancelled(void)
{
	if (itm_self.flags & ITM_LATE)
		itm_self.watch.restarted = itm_ticks_now();
	itm_stopwatch_failed();
	itm_self.flags = 0;
}
