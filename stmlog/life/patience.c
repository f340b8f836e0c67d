/* SPDX-License-Identifier: MIT
 * Checks whether a process still uses processor time. */
#include "patience.h"

#include "clock.h"

static uint64_t used_ns(const struct patience *patience)
{
	struct timespec time;
	if (!patience->has_clock || clock_gettime(patience->clock, &time) != 0)
		return 0;
	return clock_ns_of(time);
}

struct patience patience_with(pid_t process)
{
	struct patience patience = {.has_clock = false};
	patience.has_clock = clock_getcpuclockid(process, &patience.clock) == 0;
	return patience;
}

bool patience_is_over(struct patience *patience, unsigned waited_ms)
{
	uint64_t now_ns = used_ns(patience);
	patience->stood_ms = now_ns == patience->used_ns ? patience->stood_ms + waited_ms : 0;
	patience->used_ns = now_ns;
	return patience->stood_ms >= PATIENCE_MS;
}
