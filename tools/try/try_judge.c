/* SPDX-License-Identifier: MIT
 * The verdicts. Each setting is compared with the program as it is by the test of `stmlog diff`; p is corrected for all
 * settings that have not failed. NOTES.txt, "Many runs", tells why the settings that were dropped count in it. */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "memory.h"
#include "try.h"

size_t try_tests(const struct try_race *race)
{
	size_t tests = 0;
	for (size_t i = 1; i < race->len; i++)
		tests += race->settings[i].state != TRY_FAILED;
	return tests;
}

/* The runs of the program as it is that were made in the turns of this setting: a machine that has become slower
 * later shall not look like the setting's merit. */
static size_t runs_beside(const struct try_race *race, const struct try_setting *setting)
{
	size_t runs = race->settings[0].runs;
	return 2 * setting->runs < runs ? 2 * setting->runs : runs;
}

static void set_medians(const struct try_race *race, struct try_setting *setting)
{
	const struct try_setting *as_it_is = &race->settings[0];
	size_t others = setting == as_it_is ? as_it_is->runs : runs_beside(race, setting);
	double usual = statistics_median(as_it_is->throughputs, others).value;
	setting->throughput = statistics_median(setting->throughputs, setting->runs);
	setting->loss = statistics_median(setting->losses, setting->runs).value;
	setting->ratio = setting->throughput.value / usual;
}

/* Of a setting that was dropped there is no p, since it was chosen for its values; so it makes no other p smaller. */
static double p_of(const struct try_race *race, const struct try_setting *setting)
{
	const struct try_setting *as_it_is = &race->settings[0];
	if (setting->state == TRY_SLOWER)
		return 1;
	return statistics_u(setting->throughputs, setting->runs, as_it_is->throughputs, runs_beside(race, setting)).p;
}

static void correct(struct try_race *race)
{
	size_t tests = try_tests(race), test = 0;
	double *p = memory_zeroed(tests, sizeof *p), *corrected = memory_zeroed(tests, sizeof *corrected);
	double *weights = memory_zeroed(tests, sizeof *weights);
	for (size_t i = 1; i < race->len; i++) {
		if (race->settings[i].state != TRY_FAILED)
			p[test++] = p_of(race, &race->settings[i]);
	}
	for (size_t i = 0; i < tests; i++)
		weights[i] = 1;
	statistics_holm(p, weights, corrected, tests);
	test = 0;
	for (size_t i = 0; i < race->len; i++)
		race->settings[i].p = i > 0 && race->settings[i].state != TRY_FAILED ? corrected[test++] : 1;
	free(p);
	free(corrected);
	free(weights);
}

static bool is_faster(const struct try_setting *setting)
{
	return setting->state == TRY_RACING && setting->p <= TRY_ALPHA && setting->ratio >= TRY_MIN_GAIN;
}

static void recommend(struct try_race *race)
{
	struct try_setting *best = NULL;
	for (size_t i = 1; i < race->len; i++) {
		struct try_setting *setting = &race->settings[i];
		if (is_faster(setting) && (best == NULL || setting->ratio > best->ratio))
			best = setting;
	}
	if (best != NULL)
		best->is_recommended = true;
	race->recommended = best;
}

/* With no setting left in the race, all are known not to be faster. */
static bool can_decide(const struct try_race *race)
{
	for (size_t i = 1; i < race->len; i++) {
		const struct try_setting *setting = &race->settings[i];
		double min_p = setting->runs > 0 ? statistics_min_p(setting->runs, runs_beside(race, setting)) : 1;
		if (setting->state == TRY_RACING && min_p * (double)try_tests(race) > TRY_ALPHA)
			return false;
	}
	return true;
}

void try_judge(struct try_race *race)
{
	REQUIRES(race->len > 0 && race->settings[0].runs > 0);
	for (size_t i = 0; i < race->len; i++) {
		race->settings[i].is_recommended = false;
		if (race->settings[i].state != TRY_FAILED)
			set_medians(race, &race->settings[i]);
	}
	correct(race);
	recommend(race);
	race->is_decided = can_decide(race);
}
