/* SPDX-License-Identifier: MIT
 * Counts tries in hardware, and keeps the failed ones of measured transactions. Nothing here is called within a
 * hardware transaction. */
#include "hardware.h"

#include <stddef.h>
#include <x86intrin.h>

#include "agent.h"
#include "alone.h"
#include "cause.h"
#include "explore.h"
#include "hardware_code.h"
#include "thread.h"

/* ---- the process ---- */

/* A thread's counts are in its ring, and stay there when another thread takes the ring. */
static uint64_t sum_of(size_t offset)
{
	uint64_t sum = 0;
	for (const struct itm_ring *ring = itm_ring_first(); ring != NULL; ring = itm_ring_next(ring))
		sum += AO_load((const volatile AO_t *)(const volatile void *)((const volatile char *)ring + offset));
	return sum;
}

void itm_hardware_set_facts(void)
{
	static const char *const names[ITM_HARDWARE_CAUSES] = {
#define HARDWARE(name, contention) "hardware_HTM_" #name,
#include "reasons.def"
	};
	uint64_t aborts = 0;
	if (!itm_hardware_is_watched())
		return;
	for (size_t cause = 0; cause < ITM_HARDWARE_CAUSES; cause++) {
		uint64_t sum = sum_of(offsetof(struct itm_ring, hardware.aborts) + cause * sizeof(AO_t));
		stmlog_set_fact(names[cause], sum);
		aborts += sum;
	}
	stmlog_set_fact("hardware_aborts", aborts);
	stmlog_set_fact("hardware_attempts", aborts + sum_of(offsetof(struct itm_ring, hardware.commits)));
	stmlog_set_fact("hardware_fallbacks", sum_of(offsetof(struct itm_ring, hardware.fallbacks)));
}

/* The child has only one thread, and the counts so far are the parent's. */
void itm_hardware_after_fork(void)
{
	if (!(itm_self.flags & ITM_HOLDS_SERIAL))
		AO_store(&itm_holder, 0);
	for (struct itm_ring *ring = itm_ring_first(); ring != NULL; ring = itm_ring_next(ring))
		ring->hardware = (struct itm_hardware_counts){.commits = 0};
}

/* ---- one transaction ---- */

/* For the calling thread's own ring: no other thread adds to it. */
static void add_one(volatile AO_t *count)
{
	AO_store(count, AO_load(count) + 1);
}

uint64_t itm_hardware_now(void)
{
	return itm_agent.has_steady_tsc ? __rdtsc() : stmlog_now_ns();
}

static void record_try(struct itm_thread *self, uint32_t status)
{
	struct itm_hardware_tries *tries = &self->tries;
	if (tries->len == ITM_HARDWARE_TRIES_MAX) {
		tries->dropped++;
		return;
	}
	struct itm_hardware_try *try = &tries->items[tries->len++];
	*try = (struct itm_hardware_try){.failed = itm_hardware_now(), .status = status};
	try->resumed = try->failed;
	try->was_held = itm_hardware.lock->writers != 0;
	try->holder = itm_holder_find(&try->holder_site);
	self->entered = 0; /* from here on, waits in begin are timed by the kept try */
}

/* In a transaction that runs alone, libitm tries an inner begin in hardware, too. The try finds the serial lock held by
 * its own thread, and is no failed attempt. If an inner transaction in hardware aborts, the whole transaction does, and
 * depth is 1 again. */
static bool is_outermost(const struct itm_thread *self)
{
	return self->depth <= 1;
}

void itm_hardware_aborted(uint32_t status)
{
	struct itm_thread *self = &itm_self;
	if (!is_outermost(self))
		return;
	add_one(&self->ring->hardware.aborts[itm_hardware_cause(status)]);
	if (self->flags & ITM_MEASURED)
		record_try(self, status);
}

static void resume(struct itm_thread *self)
{
	struct itm_hardware_tries *tries = &self->tries;
	if ((self->flags & ITM_MEASURED) && tries->len != 0)
		tries->items[tries->len - 1].resumed = itm_hardware_now();
}

void itm_hardware_tries_again(void)
{
	resume(&itm_self);
}

/* While libitm does not use hardware transactions, the holder of the lock is not needed. */
void itm_hardware_runs_alone(bool has_tried)
{
	struct itm_thread *self = &itm_self;
	if (!is_outermost(self) || itm_hardware.lock->fastpath == 0)
		return;
	if (itm_hardware.lock->writers != 0) {
		self->flags |= ITM_HOLDS_SERIAL;
		itm_holder_set(self->ring);
		itm_alone_record(self, 0, ITM_WAY_OTHER);
		itm_explore_begin(self);
	}
	if (has_tried) {
		add_one(&self->ring->hardware.fallbacks);
		resume(self);
	}
}

void itm_hardware_count_commit(struct itm_thread *self)
{
	add_one(&self->ring->hardware.commits);
}

void itm_hardware_release_serial(struct itm_thread *self)
{
	self->flags &= ~(uint32_t)ITM_HOLDS_SERIAL;
	itm_holder_set(NULL);
}
