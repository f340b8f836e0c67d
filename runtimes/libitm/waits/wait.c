/* SPDX-License-Identifier: MIT
 * Converts ticks into nanoseconds, and reports waits inside libitm, as pauses or waits, with the transactions that were
 * waited for. */
#include "wait.h"

#include <cpuid.h>

#include "others.h"
#include "requires.h"
#include "stacks.h"

/* A reading of both clocks at the same moment, when the agent was made ready. The longer ago that is, the better known
 * is the ratio of the clocks. */
static uint64_t base_tsc, base_ns;

/* `scale` is the nanoseconds in 2^32 ticks; it is used until `scale_until` ticks after that reading. Two threads may
 * renew it at the same time: both store right values. `scale_until` is stored with release and loaded with acquire
 * (itm_ticks_to_ns()), so a thread that sees `scale_until` sees the scale. */
static volatile AO_t scale, scale_until;

/* Reads both clocks at nearly the same moment: of some tries, the one that took the least time. */
static void read_pair(uint64_t *tsc, uint64_t *ns)
{
	uint64_t shortest = UINT64_MAX;
	for (int try = 0; try < 4; try++) {
		uint64_t before = itm_ticks_now(), now_ns = stmlog_now_ns(), took = itm_ticks_now() - before;
		if (took < shortest) {
			shortest = took;
			*tsc = before + took / 2;
			*ns = now_ns;
		}
	}
}

bool itm_ticks_prepare(void)
{
	unsigned a, b, c, d;
	read_pair(&base_tsc, &base_ns);
	return __get_cpuid(0x80000007u, &a, &b, &c, &d) != 0 && (d & (1u << 8)) != 0;
}

static void renew_scale(void)
{
	uint64_t tsc = 0, ns = 0;
	read_pair(&tsc, &ns);
	if (tsc <= base_tsc || ns <= base_ns)
		return;
	AO_store(&scale, (AO_t)(((unsigned __int128)(ns - base_ns) << 32) / (tsc - base_tsc)));
	AO_store_release(&scale_until, 2 * (tsc - base_tsc));
}

uint64_t itm_ticks_to_ns_cached(uint64_t ticks)
{
	return (uint64_t)(((unsigned __int128)ticks * AO_load(&scale)) >> 32);
}

/* `now`: a time stamp that was just read. */
static uint64_t ticks_to_ns_at(uint64_t now, uint64_t ticks)
{
	if (now - base_tsc > AO_load_acquire(&scale_until))
		renew_scale();
	return itm_ticks_to_ns_cached(ticks);
}

uint64_t itm_ticks_to_ns(uint64_t ticks)
{
	REQUIRES(ticks == 0 || itm_agent.has_steady_tsc);
	return ticks_to_ns_at(itm_ticks_now(), ticks);
}

uint64_t itm_ticks_from_ns(uint64_t ns)
{
	REQUIRES(itm_agent.has_steady_tsc);
	uint64_t second_ns = itm_ticks_to_ns(UINT64_C(1) << 30);
	return second_ns == 0 ? 0 : (uint64_t)(((unsigned __int128)ns << 30) / second_ns);
}

static struct itm_blocker look_back(
	struct itm_waiting *waiting, const struct itm_ring *own, uint64_t began, uint64_t ended)
{
	uint64_t began_ns = stmlog_now_by_tsc_ns(ended) - ticks_to_ns_at(ended, ended - began);
	waiting->has_looked = true;
	waiting->others.started = began;
	waiting->others.ended = ended;
	return itm_others_look_back(&waiting->others, own, began_ns);
}

void itm_wait_commit_left(struct itm_thread *self, uint64_t left)
{
	struct itm_waiting *waiting = self->waiting;
	uint64_t entered = self->entered;
	if (entered == 0)
		return;
	self->commit_ticks = itm_wait_timer_stop_at(self, left);
	itm_ring_note_left(self->ring, left);
	if (STMLOG_LIKELY(self->commit_ticks <= ITM_WAIT_MIN) || waiting == NULL)
		return;
	if (itm_wait_looks_back())
		waiting->blocker = look_back(waiting, self->ring, entered, left);
	else
		waiting->blocker = itm_others_find_blocker(&waiting->others, self->ring, false);
}

static void commit_action(void *unused)
{
	(void)unused;
	itm_wait_commit_left(&itm_self, itm_ticks_now());
}

void itm_wait_add_commit_action(const struct itm_thread *self)
{
	const uint32_t needed = ITM_MEASURED | ITM_TIMED;
	if ((self->flags & needed) == needed)
		itm_real_add_commit(commit_action, ITM_NO_TRANSACTION, NULL);
}

/* Commit, and becoming irrevocable, check all reads once more. This takes less than an eighth of the time that the
 * transaction took before. `now`: a time stamp that was just read. */
static bool may_be_work(const struct itm_thread *self, enum itm_wait wait, uint64_t ns, uint64_t now)
{
	if (wait != ITM_WAIT_COMMIT && wait != ITM_WAIT_UPGRADE)
		return false;
	uint64_t elapsed_ns = stmlog_now_by_tsc_ns(now) - self->started_ns;
	return ns < elapsed_ns && ns < (elapsed_ns - ns) / 8;
}

static struct tb_frame *where(const struct itm_thread *self, enum itm_wait wait)
{
	switch (wait) {
	case ITM_WAIT_RESTART: /* where the attempt failed */
		return self->trace != NULL ? self->trace : TB_UNKNOWN;
	case ITM_WAIT_BEGIN:
		return itm_trace_begin();
	default:
		return itm_trace_entry();
	}
}

/* ---- the transaction that was waited for ---- */

void itm_wait_snapshot(struct itm_thread *self)
{
	struct itm_waiting *waiting = self->waiting;
	if (waiting == NULL)
		return;
	waiting->has_looked = true;
	waiting->alone = itm_alone_so_far();
	itm_others_snapshot(&waiting->others, self->ring);
}

/* Before an attempt, a thread waits for those that have the serial lock; if it takes the lock alone, also for all that
 * are under way, which do not run alone: then *wait becomes ITM_WAIT_LAST. Under gl_wt it also waits for a writer under
 * way. Otherwise a long begin without a holder may have another reason. */
static struct itm_blocker blocker_before_attempt(const struct itm_thread *self, enum itm_wait *wait)
{
	struct itm_waiting *waiting = self->waiting;
	struct itm_blocker blocker = itm_alone_find_blocker(waiting->alone);
	if (blocker.ring != NULL)
		return blocker;
	bool is_exclusive = *wait == ITM_WAIT_BEGIN ? waiting->is_exclusive : (self->flags & ITM_SERIAL) != 0;
	blocker = itm_others_find_blocker(&waiting->others, self->ring, true);
	if (is_exclusive && blocker.ring != NULL)
		*wait = ITM_WAIT_LAST;
	else if (itm_agent.method != ITM_METHOD_GLOBAL_LOCK)
		blocker.grade = STMLOG_GRADE_CANDIDATE;
	return blocker;
}

static struct itm_blocker blocker_in(const struct itm_thread *self, enum itm_wait *wait)
{
	struct itm_waiting *waiting = self->waiting;
	if (waiting == NULL || !waiting->has_looked)
		return (struct itm_blocker){.ring = NULL};
	switch (*wait) {
	case ITM_WAIT_COMMIT:
		return waiting->blocker;
	case ITM_WAIT_UPGRADE:
		return itm_others_find_blocker(&waiting->others, self->ring, true);
	default:
		return blocker_before_attempt(self, wait);
	}
}

/* A frame that says how the transaction came to run alone, where no place in the code does. */
static const struct tb_place starved = {"(starved: runs alone after 101 failed attempts)", "", 0};
_Static_assert(ITM_FAILURES_MAX == 100, "the text above");

/* A frame that says that half of the wait or more was for a processor. */
static const struct tb_place preempted = {"(preempted: a thread had no processor)", "", 0};

/* A frame of the other long waits. Many of these are for a processor, too, which the agent has not seen: a thread that
 * has slept until the lock was free is woken, and no processor is. The ranking tells these by the time that the
 * transaction takes, so the mean of a few long waits and many short ones must not hide them. */
static const struct tb_place long_wait = {"(long: a wait of 0.4 ms or more)", "", 0};

/* Where the transaction began, and its callers if they are recorded with the same begin. */
static size_t places_of(const struct itm_blocker *blocker, uintptr_t places[TB_COPY_FRAMES])
{
	size_t len = itm_callers_of(blocker->ring, blocker->context, places, TB_COPY_FRAMES);
	if (len != 0 && places[0] == blocker->site)
		return len;
	places[0] = blocker->site;
	return 1;
}

/* The place where it became irrevocable, where it began, how it came to run alone, and the callers. Borrowed. */
static struct tb_frame *traceback_of(const struct itm_blocker *blocker)
{
	uintptr_t places[TB_COPY_FRAMES];
	struct tb_site sites[TB_COPY_FRAMES + 3];
	size_t len = places_of(blocker, places), at = 0, max = itm_agent.options.depth;
	if (blocker->place != 0)
		sites[at++] = tb_site_make(TB_CODE_ADDRESS, blocker->place);
	for (size_t i = 0; i < len; i++) {
		sites[at++] = tb_site_make(TB_CODE_ADDRESS, places[i]);
		if (i == 0 && blocker->way == ITM_WAY_STARVED)
			sites[at++] = tb_place_site(&starved);
		if (i == 0 && blocker->is_preempted)
			sites[at++] = tb_place_site(&preempted);
		else if (i == 0 && blocker->is_long)
			sites[at++] = tb_place_site(&long_wait);
	}
	return itm_remote_traceback(sites, at < max ? at : max);
}

static void fill_in_remote(struct itm_blocker blocker, struct stmlog_loss *loss)
{
	if (blocker.ring == NULL || blocker.site == 0)
		return;
	loss->remote = traceback_of(&blocker);
	loss->remote_thread = (uint32_t)AO_load(&blocker.ring->thread);
	loss->grade = blocker.grade;
}

void itm_wait_blame_failed_upgrade(struct itm_thread *self, struct stmlog_loss *loss)
{
	if (self->waiting != NULL && self->waiting->has_looked && (self->flags & ITM_TIMED))
		fill_in_remote(itm_alone_find_blocker(self->waiting->alone), loss);
}

/* ---- reports ---- */

/* The wait as a loss. Both tracebacks are borrowed. */
static struct stmlog_loss loss_of(
	struct itm_thread *self, enum itm_wait wait, struct tb_frame *local, struct itm_blocker blocker)
{
	struct stmlog_cause cause = itm_cause_of_wait(wait, itm_agent.method, self->flags & ITM_SERIAL);
	struct stmlog_loss loss = stmlog_loss_make(cause.reason, cause.contention, cause.detail);
	loss.local = local;
	if (STMLOG_UNLIKELY(tb_is_unknown(loss.local)))
		stmlog_count_unavailable_traceback(self->thread);
	fill_in_remote(blocker, &loss);
	return loss;
}

/* A thread that was taken off the processor is back no sooner, mostly. `long_wait` names it. */
#define PREEMPTED_MIN_NS 400000

/* A thread that has slept until the serial lock was free needs a processor then. This is known where only one
 * transaction has had the lock. */
static bool is_late(const struct itm_blocker *blocker, uint64_t started, uint64_t now)
{
	return blocker->grade == STMLOG_GRADE_CERTAIN && blocker->ended > started && blocker->ended < now &&
	       now - blocker->ended >= (now - started) / 2;
}

/* Whether the wait, which is over at the time stamp `now`, was half for a processor. */
static bool is_preempted(const struct itm_thread *self, const struct itm_blocker *blocker, uint64_t ns, uint64_t now)
{
	if (blocker->ring == NULL || ns < PREEMPTED_MIN_NS)
		return false;
	uint64_t started = self->waiting->others.started;
	return is_late(blocker, started, now) || itm_interrupted_is_preempted(blocker->ring, started, ns);
}

/* Whether it is another wait that may have been for a processor. Not if the other thread has slept within its
 * transaction, which then was in the way. One that has starved sleeps before it, until it may run alone. */
static bool is_long(const struct itm_blocker *blocker, uint64_t from, uint64_t ns)
{
	return ns >= PREEMPTED_MIN_NS && blocker->ring != NULL && !blocker->is_preempted &&
	       (blocker->way == ITM_WAY_STARVED || !itm_interrupted_has_slept(blocker->ring, from, ns));
}

/* Whether timed transactions have such waits, too (itm_wait_report_preempted_commit()). They are several times as many
 * as those measured closely, each of which would stand for seconds. */
static bool is_counted_by_timed(const struct itm_thread *self)
{
	const struct itm_sampling *sampling = &self->sampling;
	return sampling->close_in > 1 && sampling->weight_now > 1 && self->failures < self->watch.late_from;
}

void itm_wait_report(enum itm_wait wait, uint64_t ticks, uint64_t now)
{
	struct itm_thread *self = &itm_self;
	if (self->flags & ITM_STOPWATCH) {
		self->watch.upgrading += ticks - ITM_WAIT_OWN;
		return;
	}
	uint64_t ns = ticks_to_ns_at(now, ticks - ITM_WAIT_OWN);
	if (may_be_work(self, wait, ns, now))
		return;
	if (wait == ITM_WAIT_BEGIN)
		self->started_ns += ns;
	enum itm_wait told = wait;
	struct itm_blocker blocker = blocker_in(self, &told);
	blocker.is_preempted = is_preempted(self, &blocker, ns, now);
	blocker.is_long = self->waiting != NULL && is_long(&blocker, self->waiting->others.started, ns);
	struct stmlog_loss loss = loss_of(self, told, where(self, wait), blocker);
	loss.at_ns = stmlog_now_by_tsc_ns(now);
	if (blocker.is_preempted && told == ITM_WAIT_COMMIT && is_counted_by_timed(self)) /* no entry */
		loss.cause = (struct stmlog_cause){STMLOG_WAIT, STMLOG_NONE, loss.cause.detail};
	stmlog_waited(self->thread, &loss, ns);
}

/* A shorter wait cannot be distinguished from a transaction that took longer than usual. */
#define COMMIT_MIN_NS 100000

static struct itm_blocker blocker_in_commit(const struct itm_thread *self, uint64_t ns, uint64_t off_ns)
{
	if (ns < COMMIT_MIN_NS || self->thread == NULL || !itm_agent.has_steady_tsc)
		return (struct itm_blocker){.ring = NULL};
	uint64_t from = itm_ticks_now() - itm_ticks_from_ns(ns + off_ns);
	struct itm_blocker blocker = itm_interrupted_find_blocker(self->ring, from, ns);
	blocker.is_long = is_long(&blocker, from, ns);
	return blocker;
}

static void report_unmeasured_commit(
	struct itm_thread *self, const struct itm_blocker *blocker, uint32_t weight, uint64_t ns, uint64_t off_ns)
{
	uintptr_t began = itm_ring_site(self->ring);
	struct stmlog_loss loss = loss_of(self, ITM_WAIT_COMMIT, itm_trace_unmeasured(began), *blocker);
	stmlog_waited_unmeasured(self->thread, &loss, tb_address_site((const void *)began), weight, ns, off_ns);
}

/* Adds a wait to the account, as that of a transaction apart. It makes no entry. */
static void report_apart(struct itm_thread *self, double weight, uint64_t ns)
{
	const void *began = (const void *)itm_ring_site(self->ring);
	struct stmlog_timed_transaction timed = {
		.site = tb_address_site(began), .weight = weight, .is_apart = true, .paused_ns = ns};
	stmlog_timed(self->thread, &timed);
}

void itm_wait_report_unmeasured_commit(struct itm_thread *self, uint64_t ns, uint64_t off_ns)
{
	REQUIRES(self->slot != NULL);
	struct itm_blocker blocker = blocker_in_commit(self, ns, off_ns);
	if (blocker.ring != NULL)
		report_unmeasured_commit(self, &blocker, 1, ns, off_ns);
	else if (ns != 0)
		report_apart(self, 1, ns);
}

bool itm_wait_report_preempted_commit(struct itm_thread *self, double weight, uint64_t ns)
{
	if (ns < PREEMPTED_MIN_NS)
		return false;
	REQUIRES(self->slot != NULL);
	struct itm_blocker blocker = blocker_in_commit(self, ns, 0);
	if (blocker.ring == NULL || !blocker.is_preempted)
		return false;
	report_apart(self, weight, ns);
	report_unmeasured_commit(self, &blocker, (uint32_t)(weight + 0.5), ns, 0);
	return true;
}
