/* SPDX-License-Identifier: MIT
 * Which settings run next, which of them leave the race, and how long it lasts. */
#include <math.h>

#include "try.h"

size_t try_turn(const struct try_race *race, size_t *order)
{
	bool is_reverse = race->turns % 2 == 1;
	size_t len = 0;
	order[len++] = 0;
	for (size_t i = 1; i < race->len; i++) {
		size_t at = is_reverse ? race->len - i : i;
		if (race->settings[at].state == TRY_RACING)
			order[len++] = at;
	}
	order[len++] = 0;
	return len;
}

static double greatest(const double *values, size_t len)
{
	double greatest = 0;
	for (size_t i = 0; i < len; i++)
		greatest = fmax(greatest, values[i]);
	return greatest;
}

static double min(const double *values, size_t len)
{
	double min = INFINITY;
	for (size_t i = 0; i < len; i++)
		min = fmin(min, values[i]);
	return min;
}

void try_drop_slower(struct try_race *race)
{
	const struct try_setting *as_it_is = &race->settings[0];
	double bound = min(as_it_is->throughputs, as_it_is->runs);
	for (size_t i = 1; i < race->len; i++) {
		struct try_setting *setting = &race->settings[i];
		bool is_slower = greatest(setting->throughputs, setting->runs) < bound;
		if (setting->state == TRY_RACING && setting->runs >= TRY_MIN_RUNS && is_slower)
			setting->state = TRY_SLOWER;
	}
}

uint64_t try_min_turns(const struct try_race *race)
{
	uint64_t turns = TRY_MIN_RUNS;
	while (turns < race->runs && statistics_min_p(turns, 2 * turns) * (double)try_tests(race) > TRY_ALPHA)
		turns++;
	return turns;
}

bool try_goes_on(const struct try_race *race, uint64_t turn_ns)
{
	size_t racing = 0;
	for (size_t i = 1; i < race->len; i++)
		racing += race->settings[i].state == TRY_RACING;
	if (racing == 0 || race->turns >= race->runs)
		return false;
	return race->turns < try_min_turns(race) || race->elapsed_ns + turn_ns <= race->limit_ns;
}
