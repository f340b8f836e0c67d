/* SPDX-License-Identifier: MIT
 * The race: one run as it is, which tells what can be tried and how long a run takes; then turns until it is decided
 * or the time is up. At the end each setting is compared with the program as it is by the test of `stmlog diff`; p
 * is corrected for all settings that have not failed. NOTES.txt, "Many runs", tells why the settings that were
 * dropped count in it. */
#include "try.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "diag.h"
#include "memory.h"
#include "number.h"
#include "record.h"

/* ---- verdicts ---- */

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

/* ---- which settings run next, which of them leave the race, and how long it lasts ---- */

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

static double extreme(const double *values, size_t len, double (*of_two)(double, double)) /* fmin() or fmax() */
{
	double extreme = NAN;
	for (size_t i = 0; i < len; i++)
		extreme = of_two(extreme, values[i]);
	return extreme;
}

void try_drop_slower(struct try_race *race)
{
	const struct try_setting *as_it_is = &race->settings[0];
	double bound = extreme(as_it_is->throughputs, as_it_is->runs, fmin);
	for (size_t i = 1; i < race->len; i++) {
		struct try_setting *setting = &race->settings[i];
		bool is_slower = extreme(setting->throughputs, setting->runs, fmax) < bound;
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

/* ---- the race ---- */

void try_race_fini(struct try_race *race)
{
	for (size_t i = 0; i < race->len; i++) {
		free(race->settings[i].name);
		free(race->settings[i].processors);
		free(race->settings[i].throughputs);
		free(race->settings[i].losses);
	}
	free(race->settings);
}

void try_add_run(struct try_setting *setting, double throughput, double loss)
{
	setting->throughputs = memory_grown(
		setting->throughputs, setting->runs, &setting->throughputs_cap, sizeof *setting->throughputs);
	setting->losses = memory_grown(setting->losses, setting->runs, &setting->losses_cap, sizeof *setting->losses);
	setting->throughputs[setting->runs] = throughput;
	setting->losses[setting->runs++] = loss;
}

/* ---- a run ---- */

/* Prints why there is no race. Returns the exit status. */
static int refuse(const struct try_race *race, const struct try_run *run)
{
	if (run->is_last && !run->is_told) {
		diag("try", "was ended by signal %d; nothing is compared", run->status - 128);
		return run->status;
	}
	if (!run->is_told && run->status != 0)
		diag(race->argv[0], "fails as it is, with status %d; nothing can be compared", run->status);
	else if (!run->is_told)
		diag(race->argv[0], "%s", run->why);
	return STATUS_UNUSABLE;
}

/* Returns another status than 0 if the race is over because of this run. */
static int step(struct try_race *race, const struct try_runner *runner, struct try_setting *setting)
{
	struct try_run run = try_run(runner, race->argv, setting);
	race->elapsed_ns += run.took_ns;
	if (run.why == NULL) {
		try_add_run(setting, run.throughput, run.loss);
		return STATUS_DONE;
	}
	if (run.is_last || setting == &race->settings[0])
		return refuse(race, &run);
	setting->state = TRY_FAILED;
	setting->status = run.status;
	setting->why = run.why;
	return STATUS_DONE;
}

/* ---- the turns ---- */

static int run_turn(struct try_race *race, const struct try_runner *runner)
{
	size_t *order = memory_zeroed(race->len + 1, sizeof *order), len = try_turn(race, order);
	int status = STATUS_DONE;
	for (size_t i = 0; i < len && status == STATUS_DONE; i++)
		status = step(race, runner, &race->settings[order[i]]);
	race->turns++;
	free(order);
	return status;
}

/* The setting with the largest median that is below `bound`, of those in the race; NULL: none is. */
static const struct try_setting *next_best(const struct try_race *race, double bound, double *value)
{
	const struct try_setting *best = NULL;
	for (size_t i = 0; i < race->len; i++) {
		const struct try_setting *setting = &race->settings[i];
		double median = setting->runs > 0 ? statistics_median(setting->throughputs, setting->runs).value : 0;
		if (setting->state != TRY_RACING || median >= bound || (best != NULL && median <= *value))
			continue;
		best = setting;
		*value = median;
	}
	return best;
}

/* Prints how the settings stand after a turn: "turn 1 of 5: ITM_DEFAULT_METHOD=serialirr 5.31, as it is 1.00". */
static void print_standing(const struct try_race *race)
{
	enum { SHOWN = 4 };
	const struct try_setting *as_it_is = &race->settings[0], *setting;
	double usual = statistics_median(as_it_is->throughputs, as_it_is->runs).value, bound = INFINITY;
	char *text = memory_format("turn %ju of %ju:", (uintmax_t)race->turns, (uintmax_t)race->runs);
	for (size_t i = 0; i < SHOWN && (setting = next_best(race, bound, &bound)) != NULL; i++) {
		char *more = memory_format("%s%s %s %s", text, i > 0 ? "," : "", setting->name,
			number_rounded(usual > 0 ? bound / usual : 1, 2).text);
		free(text);
		text = more;
	}
	diag(race->argv[0], "%s", text);
	free(text);
}

static int run_turns(struct try_race *race, const struct try_runner *runner)
{
	uint64_t turn_ns = 0;
	int status = STATUS_DONE;
	while (status == STATUS_DONE && try_goes_on(race, turn_ns)) {
		uint64_t before_ns = race->elapsed_ns;
		status = run_turn(race, runner);
		turn_ns = race->elapsed_ns - before_ns;
		try_drop_slower(race);
		if (status == STATUS_DONE && !race->is_quiet)
			print_standing(race);
	}
	return status;
}

/* The first run is no sample: it finds the program's files and libitm's layout not yet in memory. */
static int run_first(struct try_race *race, struct try_runner *runner)
{
	enum { TIMES = 5, BESIDES_NS = 2000000000 };
	struct try_run run = try_run(runner, race->argv, &race->settings[0]);
	if (run.why != NULL)
		return refuse(race, &run);
	race->elapsed_ns = run.took_ns;
	race->is_of_libitm = run.is_of_libitm;
	runner->max_ns = TIMES * run.took_ns + BESIDES_NS;
	return STATUS_DONE;
}

/* Says beforehand how long the turns take that are needed, and if that is longer than the user wants. */
static void print_length(const struct try_race *race)
{
	uint64_t need_ns = race->elapsed_ns * (try_min_turns(race) * (race->len + 1) + 1);
	bool is_longer = need_ns > race->limit_ns;
	if (is_longer || !race->is_quiet)
		diag(race->argv[0], "one run takes %s, so %zu settings may take %s%s",
			number_time(race->elapsed_ns).text, race->len, number_time(need_ns).text,
			is_longer ? ", longer than --seconds" : "");
}

int try_race_run(struct try_race *race, const regex_t *metric)
{
	struct try_runner runner = {.metric = metric, .is_quiet = race->is_quiet};
	REQUIRES(race->argv != NULL && race->argv[0] != NULL && race->runs > 0);
	record_signals_guard();
	if (!try_runner_init(&runner)) {
		record_signals_release();
		return STATUS_UNUSABLE;
	}
	try_settings_begin(race);
	int status = run_first(race, &runner);
	if (status == STATUS_DONE) {
		try_settings_add(race);
		print_length(race);
		status = run_turns(race, &runner);
	}
	try_runner_fini(&runner);
	record_signals_release();
	if (status == STATUS_DONE && race->settings[0].runs > 0)
		try_judge(race);
	return status;
}
