/* SPDX-License-Identifier: MIT */
#include "fake_clock.h"

#include <atomic_ops.h>

static volatile AO_t now, reading, off_processor, sleeps;

uint64_t fake_clock_now_ns(void)
{
	AO_t takes_ns = AO_load(&reading);
	return takes_ns == 0 ? AO_load_acquire(&now) : AO_fetch_and_add_full(&now, takes_ns);
}

void fake_clock_set(uint64_t now_ns)
{
	AO_store(&reading, 0);
	AO_store(&off_processor, 0);
	AO_store_release(&now, now_ns);
}

void fake_clock_set_reading(uint64_t ns)
{
	AO_store(&reading, ns);
}

void fake_clock_advance(uint64_t ns)
{
	AO_fetch_and_add_full(&now, ns);
}

void fake_clock_advance_preempted(uint64_t ns)
{
	AO_fetch_and_add_full(&off_processor, ns);
	fake_clock_advance(ns);
}

void fake_clock_advance_asleep(uint64_t ns)
{
	AO_fetch_and_add_full(&sleeps, 1);
	fake_clock_advance_preempted(ns);
}

void fake_clock_forget_processor_time(void)
{
	AO_store(&off_processor, AO_load(&now));
}

uint64_t fake_clock_processor_ns(void)
{
	return AO_load(&now) - AO_load(&off_processor);
}

uint64_t fake_clock_sleeps(void)
{
	return AO_load(&sleeps);
}
