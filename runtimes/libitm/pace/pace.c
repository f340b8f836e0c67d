/* SPDX-License-Identifier: MIT
 * Chooses the sampling interval, and measures the cost of aborts for that. */
#include "pace.h"

/* In a crowd the first check comes earlier, since it would be the last for many threads. */
#define LOOK_FIRST_CROWDED 4
#define LOOKS_AGREE 4

/* The first aborts are all timed, then one in TIMED_EVERY, since timing one takes readings of the clock. */
#define TIMED_FIRST 16
#define TIMED_EVERY 16

/* A time that is longer than so many times the average is cut to that: the thread was preempted. */
#define PREEMPTED 4

/* ---- choosing ---- */

static uint32_t smallest(double cost_ns, double allowed_ns, const struct itm_pace_limits *limits)
{
	uint32_t every = limits->min;
	while (every < limits->max && cost_ns > allowed_ns * every)
		every *= 2;
	return every;
}

/* One of the two readings of the clock, half of the cost, lies within the transaction's measured time. The interval is
 * lowered with some margin, so that it does not change to and fro. */
uint32_t itm_pace_choose(uint32_t every, const struct itm_pace_window *window, const struct itm_pace_limits *limits)
{
	double transactions = (double)window->transactions;
	if (window->transactions == 0)
		return every;
	double cost_ns = transactions * window->transaction_ns + (double)window->aborts * window->abort_ns;
	double time_ns = (double)window->time_ns - transactions * window->transaction_ns / 2;
	if (time_ns < transactions)
		time_ns = transactions;
	if (time_ns < limits->time_ns)
		time_ns = limits->time_ns;
	uint32_t min = smallest(cost_ns, limits->share * time_ns, limits);
	uint32_t max = smallest(cost_ns, 0.7 * limits->share * time_ns, limits);
	return every < min ? min : every > max ? max : every;
}

/* ---- checks ---- */

bool itm_pace_is_due(struct itm_pace *pace, bool is_crowded)
{
	uint32_t first = is_crowded ? LOOK_FIRST_CROWDED : ITM_PACE_FIRST;
	if (++pace->measured < (pace->looks == 0 ? first : ITM_PACE_EVERY))
		return false;
	pace->measured = 0;
	pace->looks++;
	return true;
}

uint32_t itm_pace_look(struct itm_pace *pace, uint32_t every, double transaction_ns,
	const struct stmlog_attempts *measured, const struct itm_pace_limits *limits)
{
	uint64_t transactions = measured->commits + pace->cancels;
	struct itm_pace_window window = {
		.transactions = transactions - pace->transactions,
		.aborts = measured->aborts - pace->aborts,
		.time_ns = measured->time_ns - pace->time_ns,
		.transaction_ns = transaction_ns,
		.abort_ns = pace->first_ns + pace->rest_ns,
	};
	pace->transactions = transactions;
	pace->aborts = measured->aborts;
	pace->time_ns = measured->time_ns;
	pace->window = window;
	uint32_t chosen = itm_pace_choose(every, &window, limits);
	pace->lower = chosen < every ? pace->lower + 1 : 0;
	return pace->lower == 0 || pace->lower >= LOOKS_AGREE ? chosen : every;
}

struct itm_pace itm_pace_follow(const struct itm_pace *ended)
{
	struct itm_pace pace = *ended;
	pace.before.measured = ended->measured;
	pace.before.looks = ended->looks;
	pace.before.aborts = ended->all_aborts;
	return pace;
}

static void add_progress(struct itm_pace *ended, const struct itm_pace *pace)
{
	ended->measured += pace->measured - pace->before.measured;
	ended->all_aborts += pace->all_aborts - pace->before.aborts;
	ended->first_ns = pace->first_ns;
	ended->rest_ns = pace->rest_ns;
}

/* The sums of the next thread begin with zeros: those up to the last check become negative, modulo 2^64. */
bool itm_pace_end(struct itm_pace *ended, const struct itm_pace *pace, const struct stmlog_attempts *measured)
{
	bool has_looked = pace->looks != pace->before.looks;
	if (has_looked)
		*ended = *pace;
	else
		add_progress(ended, pace);
	ended->transactions -= measured->commits + pace->cancels;
	ended->aborts -= measured->aborts;
	ended->time_ns -= measured->time_ns;
	ended->cancels = 0;
	ended->is_timed = false;
	return has_looked;
}

/* The time of the closely measured transactions, less what measuring them has added. */
uint32_t itm_pace_timed(
	const struct itm_pace *pace, uint32_t every, double timed_ns, const struct itm_pace_limits *limits)
{
	struct itm_pace_window window = pace->window;
	window.aborts = 0;
	window.transaction_ns = timed_ns;
	return itm_pace_choose(every, &window, limits);
}

/* ---- the cost of aborts ---- */

void itm_pace_abort_begin(struct itm_pace *pace, bool is_first)
{
	if (is_first) {
		pace->all_aborts++;
		pace->is_timed = pace->all_aborts <= TIMED_FIRST || pace->all_aborts % TIMED_EVERY == 0;
	}
	if (pace->is_timed)
		pace->began_ns = stmlog_now_ns();
}

/* A moving average, since the first aborts are slow: their code and data are in no cache. A time in which the thread
 * was preempted is cut. */
void itm_pace_abort_end(struct itm_pace *pace, bool is_first)
{
	if (!pace->is_timed)
		return;
	double took_ns = (double)(stmlog_now_ns() - pace->began_ns);
	double *average_ns = is_first ? &pace->first_ns : &pace->rest_ns;
	if (pace->all_aborts > TIMED_FIRST && took_ns > PREEMPTED * *average_ns)
		took_ns = PREEMPTED * *average_ns;
	*average_ns += (took_ns - *average_ns) / (pace->all_aborts < 8 ? (double)pace->all_aborts : 8);
}
