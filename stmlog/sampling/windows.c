/* SPDX-License-Identifier: MIT
 * Opens and closes the window of a thread. */
#include "windows.h"

/* One part in BUDGET of the time may go to measuring. An event is assumed to take EVENT_NS: a reading of the clock, and
 * as much again. An origin takes as long as those of the thread that were timed: a place that is in no cache may take
 * ten times as long as another one. The first ones that are timed tell little, so they count beside GUESSES of
 * ORIGIN_NS. */
enum { EVENT_NS = 75, ORIGIN_NS = 10, GUESSES = 8, BUDGET = 100 };

/* After how many transactions a thread looks at first, and at most: the next ones may be a thousand times as long. */
enum { FIRST = 8, DRAWN_MAX = 1024 };

/* The mean length is that of about so many transactions. */
enum { MEMORY = 64 };

/* A hash of the period chooses a part of the room that the window leaves. So a shorter window of the same period lies
 * within the longer one: what a thread with a higher weight measures meets other threads' measured transactions. */
static uint64_t begin_of(uint64_t period, uint32_t weight)
{
	uint64_t hash = (period + 1) * UINT64_C(0x9e3779b97f4a7c15);
	uint64_t room_ns = WINDOWS_PERIOD_NS - WINDOWS_PERIOD_NS / weight;
	return period * WINDOWS_PERIOD_NS + ((hash >> 32) * room_ns >> 32);
}

/* What the work between two moments has cost. */
static double cost_ns(const struct window_work *before, const struct window_work *now)
{
	double origin_ns = ((double)now->origins_ns + GUESSES * ORIGIN_NS) / ((double)now->origins_timed + GUESSES);
	double events = (double)(now->events - before->events), origins = (double)(now->origins - before->origins);
	return events * EVENT_NS + origins * origin_ns;
}

/* Transactions that a pace remembers, about. */
enum { PACE = 1024 };

static void add_to_pace(struct window_pace *pace, uint32_t transactions, uint64_t ns)
{
	if (pace->transactions > PACE) {
		pace->transactions /= 2;
		pace->ns /= 2;
	}
	pace->transactions += transactions;
	pace->ns += (double)ns;
}

/* The part of the time in windows that transactions take longer there. */
static double slower_part(const struct window *window)
{
	const struct window_pace *between = &window->between, *within = &window->within;
	double usual_ns = between->ns * within->transactions;
	double ns = within->ns * between->transactions;
	return usual_ns > 0 && ns > usual_ns ? 1 - usual_ns / ns : 0;
}

/* What the window that ends now has cost. Chance may make a few transactions of windows very long, as a time slice
 * without a processor does: so this is at most TIMES_MAX times what the hooks have cost. */
static double window_cost_ns(const struct window *window, uint64_t now_ns, const struct window_work *work)
{
	enum { TIMES_MAX = 8 };
	double hooks_ns = cost_ns(&window->work, work);
	double slower_ns = slower_part(window) * (double)(now_ns - window->began_ns);
	slower_ns = slower_ns < TIMES_MAX * hooks_ns ? slower_ns : TIMES_MAX * hooks_ns;
	return slower_ns > hooks_ns ? slower_ns : hooks_ns;
}

/* The smallest power of two that keeps the cost of measuring for `ns` within the budget. */
static uint32_t weight_for(double cost_ns, uint64_t ns)
{
	uint32_t weight = 1;
	while (weight < WINDOWS_MAX_WEIGHT && cost_ns * BUDGET > (double)ns * weight)
		weight *= 2;
	return weight;
}

/* The weight changes by one step at a time downwards: a pause of the program is no reason to measure all. */
static void adapt(struct window *window, uint64_t now_ns, const struct window_work *work, uint32_t fixed)
{
	uint32_t weight = weight_for(window_cost_ns(window, now_ns, work), now_ns - window->began_ns);
	if (fixed != 0)
		weight = fixed;
	else if (weight < window->weight)
		weight = window->weight / 2;
	window->weight = weight;
}

static void open_window(struct window *window, uint64_t now_ns, const struct window_work *work)
{
	window->is_open = true;
	window->began_ns = now_ns;
	window->changes_ns = now_ns + WINDOWS_PERIOD_NS / window->weight;
	window->work = *work;
}

static void close_window(struct window *window, uint64_t now_ns, const struct window_work *work, uint32_t fixed)
{
	adapt(window, now_ns, work, fixed);
	window->is_open = false;
	window->changes_ns = begin_of(now_ns / WINDOWS_PERIOD_NS + 1, window->weight);
	if (window->weight == 1)
		open_window(window, now_ns, work);
}

/* Some transactions take much longer than others, so a few tell little of the next ones. */
static void learn(struct window *window, uint32_t drawn, uint64_t now_ns)
{
	double new_ns = (double)(now_ns - window->looked_ns) / drawn;
	window->mean_ns += (new_ns - window->mean_ns) * drawn / (drawn + MEMORY);
	if (window->weight > 1)
		add_to_pace(window->is_open ? &window->within : &window->between, drawn, now_ns - window->looked_ns);
	window->looked_ns = now_ns;
}

/* How many transactions to draw: those that are expected in half of the time until the next change. */
static uint32_t draw(const struct window *window, uint64_t now_ns)
{
	double drawn = (double)(window->changes_ns - now_ns) / (2 * window->mean_ns + 1);
	return drawn < DRAWN_MAX ? (uint32_t)drawn + 1 : DRAWN_MAX;
}

/* The first window is short, unless the user has chosen: it shows how many transactions there are. */
static void begin(struct window *window, uint64_t now_ns, const struct window_work *work, uint32_t fixed)
{
	window->weight = fixed != 0 ? fixed : 1;
	open_window(window, now_ns, work);
	if (fixed == 0)
		window->changes_ns = now_ns + WINDOWS_PERIOD_NS / 16;
	window->looked_ns = now_ns;
	AO_store(&window->drawn, FIRST);
}

bool window_look(struct window *window, uint64_t now_ns, const struct window_work *work, uint32_t fixed)
{
	if (window->weight == 0) {
		begin(window, now_ns, work, fixed);
		return true;
	}
	uint32_t drawn = (uint32_t)AO_load(&window->drawn);
	learn(window, drawn, now_ns);
	if (!window->is_open)
		AO_store(&window->passed, AO_load(&window->passed) + drawn);
	if (now_ns >= window->changes_ns) {
		if (window->is_open)
			close_window(window, now_ns, work, fixed);
		else
			open_window(window, now_ns, work);
	}
	AO_store(&window->drawn, draw(window, now_ns));
	return window->is_open;
}
