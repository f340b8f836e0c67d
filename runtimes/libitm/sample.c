/* SPDX-License-Identifier: MIT
 *
 * One transaction in N is measured. The others are let pass: their commits are counted
 * here, their restarts by libitm itself, and both go to the library when the next
 * measured one begins, when the thread ends and when a report is made.
 */
#include "agent.h"

/* Handed over, in this process. Added to by any thread; read where outputs are made, beside what was handed over. */
static volatile AO_t cancels;

/* xorshift64*: the step from one measured transaction to the next must not beat with the
 * program's own rhythm. */
static uint64_t random_next(struct itm_thread *self)
{
	if (self->random == 0)
		self->random = ((uintptr_t)self >> 6) * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)itm_agent.pid;
	self->random ^= self->random >> 12;
	self->random ^= self->random << 25;
	self->random ^= self->random >> 27;
	return self->random * UINT64_C(0x2545f4914f6cdd1d);
}

int32_t itm_draw(void)
{
	uint32_t sample = itm_agent.options.sample;
	if (sample == 1)
		return 0;
	/* 0 .. 2N-2, so that one in N is measured on average. */
	return (int32_t)((random_next(&itm_self) >> 32) % (2 * sample - 1));
}

uint64_t itm_restarts(void)
{
	const uint32_t *counters = itm_agent.has_counters ? itm_counters() : NULL;
	uint64_t sum = 0;
	if (counters != NULL)
		for (size_t i = 0; i < ITM_REASONS; i++)
			sum += counters[i];
	return sum;
}

void itm_hand_over(void)
{
	struct itm_thread *self = &itm_self;
	if (itm_agent.options.sample == 1)
		return;
	uint64_t sum = itm_restarts();
	/* A smaller sum: libitm has let go of the thread and taken it up anew. */
	uint64_t restarts = sum >= self->restarts_mark ? sum - self->restarts_mark : sum;
	self->restarts_mark = sum;
	if (self->commits + self->cancels + restarts != 0)
		stmlog_unmeasured(self->thread, self->commits, self->cancels + restarts);
	if (STMLOG_UNLIKELY(self->cancels != 0))
		AO_fetch_and_add(&cancels, self->cancels);
	self->commits = 0;
	self->cancels = 0;
}

void itm_tell_cancels(void)
{
	stmlog_set_fact("unmeasured_cancels", AO_load(&cancels));
}

void itm_forget_cancels(void)
{
	AO_store(&cancels, 0);
}
