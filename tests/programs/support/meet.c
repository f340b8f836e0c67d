/* SPDX-License-Identifier: MIT */
#include "meet.h"

#include <stdbool.h>
#include <time.h>

static void take_time(unsigned us)
{
	nanosleep(&(struct timespec){us / 1000000, (long)(us % 1000000) * 1000}, NULL);
}

static bool has_said(const unsigned *word, unsigned round)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE) >= round;
}

static bool have_all(const unsigned *words, unsigned count, unsigned round)
{
	for (unsigned i = 0; i < count; i++)
		if (!has_said(&words[i], round))
			return false;
	return true;
}

void meet_say(unsigned *word, unsigned round)
{
	__atomic_store_n(word, round, __ATOMIC_RELEASE);
}

void meet_await(const unsigned *word, unsigned round)
{
	while (!has_said(word, round))
		take_time(50);
}

void meet_stay(const unsigned *words, unsigned count, unsigned round, unsigned us)
{
	for (unsigned i = 0; i < MEET_MAX && !have_all(words, count, round); i++)
		take_time(us);
	take_time(us);
}
