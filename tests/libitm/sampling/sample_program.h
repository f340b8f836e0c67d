/* SPDX-License-Identifier: MIT
 * A program of one thread, as begin.S and the hooks drive it, by the fake clock. */
#ifndef SAMPLE_PROGRAM_H
#define SAMPLE_PROGRAM_H

#include "agent.h"
#include "counts.h"
#include "environment.h"
#include "random.h"
#include "sample.h"
#include "session_fixture.h"
#include "test.h"
#include "thread.h"

static struct itm_ring *ring = &itm_ring_dummy;

static void begin_with(uint32_t sample)
{
	itm_agent.options.sample = sample;
	itm_sampling_begin();
}

static void set_up(void)
{
	session_set_up();
	itm_agent.has_counters = itm_agent.has_totals = itm_agent.has_steady_tsc = false;
	itm_layout_use(&(struct itm_layout){.counters = 16}); /* of no transaction: libitm is not called */
	itm_agent.probe_ns = 60;
	if (ring != &itm_ring_dummy)
		itm_ring_release(ring);
	ring = itm_ring_acquire(1);
	AO_store(&itm_rings_owned, 1);
	itm_self = (struct itm_thread){.thread = stmlog_thread_self(), .ring = ring};
	itm_counts_begin(&ring->counts, 0, NULL);
	begin_with(10);
}

struct program {
	struct random random;
	uint64_t transactions, measured, measured_off, timed;
	double timed_weight;
	double committed_ns, lost_ns; /* of all */
};

static void count_timed(struct program *program)
{
	program->timed++;
	program->timed_weight += itm_self.watch.weight;
}

/* The time at which it begins, if it is measured; otherwise 0. */
static uint64_t begin(struct program *program)
{
	program->transactions++;
	if (--itm_self.countdown >= 0)
		return 0;
	if (itm_self.watch.is_next) {
		itm_self.watch.is_next = 0;
		itm_self.watch.weight = itm_self.watch.weight_next;
		itm_self.countdown = itm_self.watch.countdown;
		count_timed(program);
		return 0;
	}
	uint64_t now_ns = itm_choose();
	if (now_ns == 0)
		return 0;
	assert_int_equal(now_ns, fake_clock_now_ns());
	if (itm_self.sampling.is_timed) {
		count_timed(program);
		return 0;
	}
	program->measured++;
	program->measured_off += itm_agent.has_totals && itm_self.sampling.every > 1 && itm_phase_is_off(now_ns);
	stmlog_start_at(itm_self.thread, now_ns, tb_site_make(0, 0), TB_UNKNOWN);
	return now_ns;
}

#endif
