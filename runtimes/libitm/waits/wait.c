/* SPDX-License-Identifier: MIT
 * Ticks into nanoseconds, waits inside libitm into pauses and waits of the report; and the holder of the serial lock.
 */
#include "wait.h"

#include <cpuid.h>

#include "trace.h"

/* A reading of both clocks at the same moment, when the agent was made ready. The longer ago that is, the better known
 * is the ratio of the clocks. */
static uint64_t base_tsc, base_ns;

/* `scale` is the nanoseconds in 2^32 ticks; it is used until `until` ticks after that reading. Two threads may renew it
 * at the same time: both store right values. `until` is stored with release and loaded with acquire (itm_wait_ns()), so
 * a thread that sees `until` sees the scale. */
static volatile AO_t scale, until;

/* Reads both clocks at nearly the same moment: of some tries, the one that took the least time. */
static void read_pair(uint64_t *tsc, uint64_t *ns)
{
	uint64_t shortest = UINT64_MAX;
	for (int try = 0; try < 4; try++) {
		uint64_t before = __rdtsc(), now_ns = stmlog_now_ns(), took = __rdtsc() - before;
		if (took < shortest) {
			shortest = took;
			*tsc = before + took / 2;
			*ns = now_ns;
		}
	}
}

bool itm_wait_prepare(void)
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
	AO_store_release(&until, 2 * (tsc - base_tsc));
}

uint64_t itm_wait_ns(uint64_t ticks)
{
	if (__rdtsc() - base_tsc > AO_load_acquire(&until))
		renew_scale();
	return (uint64_t)(((unsigned __int128)ticks * AO_load(&scale)) >> 32);
}

uint64_t itm_wait_ticks_in(uint64_t ns)
{
	uint64_t second_ns = itm_wait_ns(UINT64_C(1) << 30);
	return second_ns == 0 ? 0 : (uint64_t)(((unsigned __int128)ns << 30) / second_ns);
}

void itm_wait_is_over(void *unused)
{
	(void)unused;
	struct itm_thread *self = &itm_self;
	self->inside = itm_wait_ticks(self);
}

/* Commit, and becoming irrevocable, check all reads once more. This takes less than an eighth of the time that the
 * transaction took before. */
static bool may_be_work(const struct itm_thread *self, enum itm_wait wait, uint64_t ns)
{
	if (wait != ITM_WAIT_COMMIT && wait != ITM_WAIT_UPGRADE)
		return false;
	uint64_t elapsed_ns = stmlog_now_ns() - self->started_ns;
	return ns < elapsed_ns && ns < (elapsed_ns - ns) / 8;
}

static struct tb_frame *where(const struct itm_thread *self, enum itm_wait wait)
{
	switch (wait) {
	case ITM_WAIT_RESTART: /* where the attempt failed */
		return self->trace != NULL ? self->trace : TB_UNKNOWN;
	case ITM_WAIT_BEGIN:
		return itm_trace_from(self->site_slot);
	default:
		return itm_trace_from(self->slot);
	}
}

void itm_wait_report(enum itm_wait wait, uint64_t ticks)
{
	struct itm_thread *self = &itm_self;
	if (self->flags & ITM_STOPWATCH) {
		self->watch.upgrading += ticks - ITM_WAIT_OWN;
		return;
	}
	struct tb_stack *stack = stmlog_thread_stack(self->thread);
	struct stmlog_cause cause = itm_cause_of_wait(wait, itm_agent.method, self->flags & ITM_SERIAL);
	struct stmlog_loss loss = stmlog_loss_make(cause.reason, cause.contention, cause.detail);
	uint64_t ns = itm_wait_ns(ticks - ITM_WAIT_OWN);
	if (may_be_work(self, wait, ns))
		return;
	if (wait == ITM_WAIT_BEGIN)
		self->started_ns += ns;
	loss.local = where(self, wait);
	if (STMLOG_UNLIKELY(tb_is_unknown(loss.local)))
		stmlog_count_unavailable_traceback(self->thread);
	if (wait == ITM_WAIT_BEGIN)
		itm_holder_name(stack, self->begin_holder, self->begin_holder_site, STMLOG_GRADE_CERTAIN, &loss);
	stmlog_waited(self->thread, &loss, ns);
	tb_unref(stack, loss.remote);
}

/* ---- the holder of the serial lock ---- */

volatile AO_t itm_holder;

void itm_holder_name(
	struct tb_stack *stack, uint32_t holder, uintptr_t site, enum stmlog_grade grade, struct stmlog_loss *loss)
{
	struct tb_site place = tb_site_make(TB_CODE_ADDRESS, site);
	if (holder == 0 || site == 0)
		return;
	loss->remote = tb_build(stack, &place, 1, TB_EMPTY);
	loss->remote_thread = holder;
	loss->grade = grade;
}
