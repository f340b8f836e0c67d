/* SPDX-License-Identifier: MIT
 * Opens and closes the window of a thread. */
#include "windows.h"

/* A measured transaction is assumed to cost so much: some four readings of the clock, and two origins. One part in
 * BUDGET of the time may go there. */
enum { COST_NS = 150, BUDGET = 100 };

/* After how many transactions a thread looks at first, and at most: the next ones may be a thousand times as long. */
enum { FIRST = 8, DRAWN_MAX = 1024 };

/* The mean length is that of about so many transactions. */
enum { MEMORY = 64 };

/* The window of a period begins at the same time in all threads that have the same weight. */
static uint64_t begin_of(uint64_t period, uint32_t weight)
{
	uint64_t hash = (period + 1) * UINT64_C(0x9e3779b97f4a7c15);
	uint64_t room_ns = WINDOWS_PERIOD_NS - WINDOWS_PERIOD_NS / weight;
	hash ^= hash >> 29;
	return period * WINDOWS_PERIOD_NS + (room_ns != 0 ? hash % room_ns : 0);
}

/* The smallest power of two that keeps the cost of `transactions` in `ns` within the budget. */
static uint32_t weight_for(uint64_t transactions, uint64_t ns)
{
	uint32_t weight = 1;
	while (weight < WINDOWS_MAX_WEIGHT && transactions * COST_NS * BUDGET > ns * weight)
		weight *= 2;
	return weight;
}

/* The weight changes by one step at a time downwards: a pause of the program is no reason to measure all. */
static void adapt(struct window *window, uint64_t now_ns, uint32_t fixed)
{
	uint32_t weight = weight_for(window->transactions, now_ns - window->began_ns);
	if (fixed != 0)
		weight = fixed;
	else if (weight < window->weight)
		weight = window->weight / 2;
	window->weight = weight;
}

static void open_window(struct window *window, uint64_t now_ns)
{
	window->is_open = true;
	window->began_ns = now_ns;
	window->changes_ns = now_ns + WINDOWS_PERIOD_NS / window->weight;
	window->transactions = 0;
}

static void close_window(struct window *window, uint64_t now_ns, uint32_t fixed)
{
	adapt(window, now_ns, fixed);
	window->is_open = false;
	window->changes_ns = begin_of(now_ns / WINDOWS_PERIOD_NS + 1, window->weight);
	if (window->weight == 1)
		open_window(window, now_ns);
}

/* Some transactions take much longer than others, so a few tell little of the next ones. */
static void learn(struct window *window, uint32_t drawn, uint64_t now_ns)
{
	double new_ns = (double)(now_ns - window->looked_ns) / drawn;
	window->mean_ns += (new_ns - window->mean_ns) * drawn / (drawn + MEMORY);
	window->looked_ns = now_ns;
}

/* How many transactions to draw: those that are expected in half of the time until the next change. */
static uint32_t draw(const struct window *window, uint64_t now_ns)
{
	double drawn = (double)(window->changes_ns - now_ns) / (2 * window->mean_ns + 1);
	return drawn < DRAWN_MAX ? (uint32_t)drawn + 1 : DRAWN_MAX;
}

/* The first window is short, unless the user has chosen: it shows how many transactions there are. */
static void begin(struct window *window, uint64_t now_ns, uint32_t fixed)
{
	window->weight = fixed != 0 ? fixed : 1;
	open_window(window, now_ns);
	if (fixed == 0)
		window->changes_ns = now_ns + WINDOWS_PERIOD_NS / 16;
	window->looked_ns = now_ns;
	AO_store(&window->drawn, FIRST);
}

bool window_look(struct window *window, uint64_t now_ns, uint32_t fixed)
{
	if (window->weight == 0) {
		begin(window, now_ns, fixed);
		return true;
	}
	uint32_t drawn = (uint32_t)AO_load(&window->drawn);
	learn(window, drawn, now_ns);
	if (window->is_open)
		window->transactions += drawn;
	else
		AO_store(&window->passed, AO_load(&window->passed) + drawn);
	if (now_ns >= window->changes_ns) {
		if (window->is_open)
			close_window(window, now_ns, fixed);
		else
			open_window(window, now_ns);
	}
	AO_store(&window->drawn, draw(window, now_ns));
	return window->is_open;
}
