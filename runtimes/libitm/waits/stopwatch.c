/* SPDX-License-Identifier: MIT
 * From time stamps to the parts of a timed transaction. */
#include "stopwatch.h"

#include <x86intrin.h>

#include "agent.h"
#include "preemption.h"
#include "wait.h"

/* The ticks that one reading of the time stamp takes. Constant after itm_stopwatch_prepare(). */
static uint64_t reading;

/* A transaction's time holds about so many of them: at begin's first return, before commit, and half of those at both
 * ends. */
#define READINGS 3

void itm_stopwatch_prepare(void)
{
	enum { TRIES = 64 };
	reading = UINT64_MAX;
	for (int i = 0; i < TRIES; i++) {
		uint64_t before = __rdtsc(), took = __rdtsc() - before;
		reading = took < reading ? took : reading;
	}
}

/* ---- parts ---- */

/* In ticks. */
struct parts {
	uint64_t waiting, aborted, working, paused;
};

static bool pauses(enum itm_wait wait, const struct itm_thread *self)
{
	return itm_cause_of_wait(wait, itm_agent.method, self->flags & ITM_SERIAL).reason == STMLOG_PAUSE;
}

static void add_wait(struct parts *parts, const struct itm_thread *self, enum itm_wait wait, uint64_t ticks)
{
	*(pauses(wait, self) ? &parts->paused : &parts->waiting) += ticks;
}

static uint64_t beyond(uint64_t ticks, uint64_t least)
{
	return ticks > least ? ticks - ITM_WAIT_OWN : 0;
}

/* As itm_wait_after_begin(): the wait in begin. */
static uint64_t begin_wait(const struct itm_thread *self, const struct itm_stopwatch *watch)
{
	uint64_t least = self->flags & ITM_FIRST ? ITM_WAIT_LEAST_FIRST : ITM_WAIT_LEAST_BEGIN;
	return watch->may_wait ? beyond(watch->returned - watch->began, least) : 0;
}

/* As itm_wait_after_commit(): commit checks all reads once more. */
static uint64_t commit_wait(const struct itm_stopwatch *watch, uint64_t ended)
{
	uint64_t before = watch->committing - watch->began, took = beyond(ended - watch->committing, ITM_WAIT_LEAST);
	return took < before / 8 ? 0 : took;
}

static struct parts parts_of(const struct itm_thread *self, uint64_t ended)
{
	const struct itm_stopwatch *watch = &self->watch;
	struct parts parts = {.aborted = watch->restarted - watch->returned, .paused = 0};
	if (itm_wait_is_possible()) {
		add_wait(&parts, self, ITM_WAIT_BEGIN, begin_wait(self, watch));
		add_wait(&parts, self, ITM_WAIT_UPGRADE, watch->upgrading);
		add_wait(&parts, self, ITM_WAIT_COMMIT, commit_wait(watch, ended));
	}
	uint64_t others = parts.aborted + parts.waiting + parts.paused + READINGS * reading;
	parts.working = ended - watch->began > others ? ended - watch->began - others : 0;
	return parts;
}

/* ---- time off the processor ---- */

/* It is taken from the longest part: the scheduler takes milliseconds. Not from a wait for the serial lock, in which
 * the thread sleeps. */
static void take_off(struct itm_thread *self, struct stmlog_timed *timed)
{
	uint64_t *const parts[] = {&timed->committed_ns, &timed->aborted_ns, &timed->paused_ns};
	uint64_t *longest = parts[0];
	for (size_t i = 1; i < sizeof parts / sizeof parts[0]; i++)
		longest = *parts[i] > *longest ? parts[i] : longest;
	uint64_t off_ns = itm_preempted_ns(self, *longest);
	*longest -= off_ns;
	if (off_ns != 0)
		stmlog_descheduled(self->thread, off_ns, (uint64_t)self->usual.cycle_ns);
	itm_preemption_forget(self);
}

/* ---- reports ---- */

static void report(struct itm_thread *self, const struct parts *parts, bool has_committed)
{
	struct stmlog_timed timed = {
		.site = tb_address_site((const void *)self->site),
		.weight = self->watch.weight,
		.has_committed = has_committed,
		.committed_ns = itm_wait_ns(parts->working),
		.aborted_ns = itm_wait_ns(parts->aborted),
		.paused_ns = itm_wait_ns(parts->paused),
		.waiting_ns = itm_wait_ns(parts->waiting),
		.doubt_ns = itm_wait_ns(READINGS * reading),
	};
	if (itm_was_preempted(self))
		take_off(self, &timed);
	stmlog_timed(self->thread, &timed);
}

void itm_stopwatch_committed(struct itm_thread *self, uint64_t ended)
{
	struct parts parts = parts_of(self, ended);
	report(self, &parts, true);
}

void itm_stopwatch_cancelled(void)
{
	struct itm_thread *self = &itm_self;
	uint64_t ended = self->watch.restarted;
	struct parts parts = {.aborted = ended - self->watch.began};
	report(self, &parts, false);
	self->flags = 0;
}
