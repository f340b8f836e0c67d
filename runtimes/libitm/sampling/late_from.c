/* SPDX-License-Identifier: MIT
 * Chooses from which failed attempt on transactions are measured late, by the cost of measuring late. */
#include "late_from.h"

#include <stdbool.h>

#include "agent.h"
#include "pace.h"
#include "ring.h"

/* Measuring late may take TIME_SHARE of a thread's time on a processor; and timing alone, LOST_SHARE of the time that
 * the timed transactions have lost meanwhile. The second limit applies only if timing takes more than a tenth of the
 * first. Both are checked once in PERIOD_NS. */
#define TIME_SHARE 0.005
#define LOST_SHARE 0.05
#define PERIOD_NS 5000000

/* Whether the cost would be above its limits if it were `times` times as high. */
static bool is_above(const struct itm_late *late, double time_ns, double times)
{
	double timing_ns = times * late->timing_ns;
	return times * late->cost_ns > TIME_SHARE * time_ns ||
	       (timing_ns > LOST_SHARE * late->lost_ns && timing_ns > TIME_SHARE / 10 * time_ns);
}

static void set(struct itm_stopwatch *watch, uint64_t late_from)
{
	watch->late_from = late_from;
	watch->half_from = late_from / 2;
}

void itm_late_from_begin(struct itm_thread *self, uint64_t now_ns)
{
	set(&self->watch, ITM_LATE_MIN);
	self->late = (struct itm_late){.since_ns = now_ns};
}

/* In a crowd a period of the thread's own time lasts long: it ends early if the budget is used up. */
void itm_late_from_choose(struct itm_thread *self, uint64_t now_ns)
{
	struct itm_late *late = &self->late;
	AO_t threads = AO_load(&itm_rings_owned);
	bool is_crowded = itm_is_crowd(threads, itm_agent.processors);
	double time_ns = (double)(now_ns - late->since_ns);
	if (is_crowded)
		time_ns /= itm_threads_of_processor(threads, itm_agent.processors);
	if (time_ns < PERIOD_NS && !(is_crowded && is_above(late, PERIOD_NS, 1)))
		return;
	if (time_ns < PERIOD_NS)
		time_ns = PERIOD_NS;
	if (is_above(late, time_ns, 1) && self->watch.late_from < ITM_LATE_MAX)
		set(&self->watch, self->watch.late_from * 2);
	else if (!is_above(late, time_ns, 4) && self->watch.late_from > ITM_LATE_MIN)
		set(&self->watch, self->watch.late_from / 2);
	late->since_ns = now_ns;
	late->cost_ns = late->timing_ns = late->lost_ns = 0;
}
