/* SPDX-License-Identifier: MIT
 *
 * Compiled with -fgnu-tm or without: there is no transaction in it.
 */
#include "meeting.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { PAIRS = 512, SPINS = 1000, FAILURES_MAX = 200 };
enum { APART_NS = 200000, RESTART_NS = 20000000 };
#define PARTNER_NS UINT64_C(10000000000)

/* All are numbers of meetings, which only grow: the last one to which each has come, in which one has written, and in
 * which the other has been restarted for it. */
static struct pair {
	_Alignas(64) atomic_uint come[2], written, restarted;
} pairs[PAIRS];

/* Relaxed: it orders nothing. */
static atomic_bool is_given_up;

static _Thread_local struct {
	struct pair *pair; /* NULL: nobody to meet */
	unsigned number;
	unsigned left;     /* to be had yet */
	unsigned failed;   /* in a row */
	unsigned meeting;  /* the number of this one, or, between them, of the last one */
	unsigned attempts; /* begun in this one */
	bool is_on;
	bool is_known; /* to libitm */
} my;

static void give_up(void)
{
	if (!atomic_exchange_explicit(&is_given_up, true, memory_order_relaxed))
		fputs("no meetings: the other thread does not run, or may not while one transacts\n", stderr);
}

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Whether it was reached in time. Spins at first: on another processor the other one comes within a microsecond. */
static bool await(const atomic_uint *reached, unsigned meeting, uint64_t patience_ns)
{
	uint64_t began_ns = now_ns();
	for (unsigned looks = 0; atomic_load_explicit(reached, memory_order_acquire) < meeting; looks++) {
		if (looks < SPINS)
			continue;
		if (now_ns() - began_ns > patience_ns)
			return false;
		sched_yield();
	}
	return true;
}

/* The two take turns. */
static bool is_first(void)
{
	return (my.number + my.meeting) % 2 == 0;
}

void meeting_join(unsigned number, unsigned threads, unsigned meetings)
{
	bool has_partner = (number ^ 1) < threads && number / 2 < PAIRS;
	my.pair = has_partner ? &pairs[number / 2] : NULL;
	my.number = number;
	my.left = meetings;
}

/* Once both have come, what has become of the meeting before is certain, and both see the same. */
static bool come_to_next(void)
{
	struct pair *pair = my.pair;
	my.meeting++;
	my.attempts = 0;
	atomic_store_explicit(&pair->come[my.number % 2], my.meeting, memory_order_release);
	if (!await(&pair->come[1 - my.number % 2], my.meeting, PARTNER_NS))
		give_up();
	if (my.is_on && atomic_load_explicit(&pair->restarted, memory_order_acquire) == my.meeting - 1) {
		my.left--;
		my.failed = 0;
	} else if (my.is_on && ++my.failed == FAILURES_MAX) {
		give_up();
	}
	return my.left != 0 && !atomic_load_explicit(&is_given_up, memory_order_relaxed);
}

void meeting_next(void)
{
	bool is_to_come = my.pair != NULL && my.is_known && my.left != 0;
	my.is_known = true;
	if (!is_to_come || atomic_load_explicit(&is_given_up, memory_order_relaxed)) {
		my.is_on = false;
		return;
	}
	nanosleep(&(struct timespec){.tv_nsec = APART_NS}, NULL);
	my.is_on = come_to_next();
	if (my.is_on && !is_first() && !await(&my.pair->written, my.meeting, PARTNER_NS))
		give_up();
}

void meeting_enter(void)
{
	if (my.is_on && !is_first() && ++my.attempts == 2)
		atomic_store_explicit(&my.pair->restarted, my.meeting, memory_order_release);
}

void meeting_hold(void)
{
	if (!my.is_on || !is_first())
		return;
	atomic_store_explicit(&my.pair->written, my.meeting, memory_order_release);
	await(&my.pair->restarted, my.meeting, RESTART_NS);
}
