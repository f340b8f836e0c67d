/* SPDX-License-Identifier: MIT */
#include "fake_clock.h"

#include <atomic_ops.h>

static volatile AO_t now;

uint64_t fake_clock_now_ns(void)
{
	return AO_load_acquire(&now);
}

void fake_clock_set(uint64_t now_ns)
{
	AO_store_release(&now, now_ns);
}

void fake_clock_advance(uint64_t ns)
{
	AO_fetch_and_add_full(&now, ns);
}
