/* SPDX-License-Identifier: MIT
 *
 * Compiled with -fgnu-tm or without: there is no transaction in it.
 */
#include "rivals.h"

#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

enum { SPINS = 1000, PATIENCE_NS = 20000000 };

/* The numbers of the last call, and of those that have got a rival and an answer. */
static struct {
	_Alignas(64) atomic_uint called;
	_Alignas(64) atomic_uint claimed, answered;
} calls;

/* Of the long transaction: attempts that are to fail yet, and those that had an answer. */
static _Thread_local unsigned failures_left, met;
/* Whose rival the thread is. */
static _Thread_local unsigned my_call;

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void rivals_expect(unsigned failures)
{
	failures_left = failures;
	met = 0;
}

/* Returns whether there was an answer in time. */
static bool await_answer(unsigned call)
{
	uint64_t began_ns = now_ns();
	for (unsigned looks = 1; atomic_load_explicit(&calls.answered, memory_order_acquire) != call; looks++)
		if (looks % SPINS == 0 && now_ns() - began_ns > PATIENCE_NS)
			return false;
	return true;
}

void rivals_await(void)
{
	if (failures_left == 0)
		return;
	failures_left--;
	unsigned call = atomic_fetch_add_explicit(&calls.called, 1, memory_order_release) + 1;
	if (await_answer(call))
		met++;
	else
		failures_left = 0;
}

unsigned rivals_met(void)
{
	return met;
}

bool rivals_is_called(void)
{
	unsigned claimed = atomic_load_explicit(&calls.claimed, memory_order_relaxed);
	my_call = atomic_load_explicit(&calls.called, memory_order_acquire);
	return claimed != my_call && atomic_compare_exchange_strong_explicit(&calls.claimed, &claimed, my_call,
					     memory_order_relaxed, memory_order_relaxed);
}

void rivals_answer(void)
{
	atomic_store_explicit(&calls.answered, my_call, memory_order_release);
}
