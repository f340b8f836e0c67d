/* SPDX-License-Identifier: MIT
 * Races of made-up throughputs: the turns, who leaves, the verdicts, and how long it goes on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "test.h"
#include "try.h"

enum { MAX = 64 };

/* A race of `len` settings; the first one is the program as it is. */
static struct try_race race_of(size_t len, uint64_t runs)
{
	struct try_race race = {.runs = runs, .limit_ns = 1000, .len = len};
	race.settings = memory_zeroed(len, sizeof *race.settings);
	return race;
}

/* A turn in which each setting in the race has the throughput `at[i]`, and differs a little from turn to turn. */
static void run_turn(struct try_race *race, const double *at)
{
	size_t order[MAX], len = try_turn(race, order);
	for (size_t i = 0; i < len; i++)
		try_add_run(&race->settings[order[i]], at[order[i]] + 0.001 * (double)(race->turns + i), 0.25);
	race->turns++;
	try_drop_slower(race);
}

/* ---- turns ---- */

static void expect_turn(const struct try_race *race, const size_t *expected, size_t expected_len)
{
	size_t order[MAX];
	assert_int_equal(try_turn(race, order), expected_len);
	assert_memory_equal(order, expected, expected_len * sizeof *expected);
}

TEST(each_turn_has_the_program_as_it_is_at_both_ends_and_every_other_is_in_reverse)
{
	OWNED(try_race_fini) struct try_race race = race_of(4, 5);
	expect_turn(&race, (size_t[]){0, 1, 2, 3, 0}, 5);
	race.turns = 1;
	expect_turn(&race, (size_t[]){0, 3, 2, 1, 0}, 5);
	race.turns = 2;
	expect_turn(&race, (size_t[]){0, 1, 2, 3, 0}, 5);
}

TEST(what_has_left_the_race_has_no_turn)
{
	OWNED(try_race_fini) struct try_race race = race_of(4, 5);
	race.settings[1].state = TRY_SLOWER;
	race.settings[3].state = TRY_FAILED;
	expect_turn(&race, (size_t[]){0, 2, 0}, 3);
	race.turns = 1;
	expect_turn(&race, (size_t[]){0, 2, 0}, 3);
}

/* ---- leaving ---- */

TEST(only_three_runs_below_all_of_the_program_as_it_is_drop_a_setting)
{
	OWNED(try_race_fini) struct try_race race = race_of(4, 5);
	static const double slow[] = {100, 50, 99.9, 150}, mixed[] = {100, 50, 101, 150};
	run_turn(&race, slow);
	run_turn(&race, slow);
	assert_int_equal(race.settings[1].state, TRY_RACING);
	run_turn(&race, mixed);
	assert_int_equal(race.settings[1].state, TRY_SLOWER);
	assert_int_equal(race.settings[2].state, TRY_RACING);
	assert_int_equal(race.settings[3].state, TRY_RACING);
	run_turn(&race, mixed);
	assert_int_equal(race.settings[1].runs, 3);
	assert_int_equal(race.settings[2].runs, 4);
	assert_int_equal(race.settings[0].runs, 8);
}

/* ---- how long ---- */

TEST(so_many_turns_are_made_that_a_setting_can_become_significant)
{
	/* 2 of 84 ways for 3 and 6 runs, 2 of 495 for 4 and 8, 2 of 3003 for 5 and 10 */
	static const struct {
		size_t tests;
		uint64_t runs, turns;
	} rows[] = {{2, 9, 3}, {3, 9, 4}, {12, 9, 4}, {13, 9, 5}, {13, 4, 4}, {50, 9, 5}, {2, 3, 3}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		OWNED(try_race_fini) struct try_race race = race_of(rows[i].tests + 1, rows[i].runs);
		assert_int_equal(try_min_turns(&race), rows[i].turns);
	}
}

TEST(the_time_ends_the_race_but_not_before_it_can_be_decided)
{
	OWNED(try_race_fini) struct try_race race = race_of(8, 9);
	race.elapsed_ns = 2000;
	race.turns = 3;
	assert_true(try_goes_on(&race, 100));
	race.turns = 4;
	assert_false(try_goes_on(&race, 100));
	race.elapsed_ns = 900;
	assert_true(try_goes_on(&race, 100));
	assert_false(try_goes_on(&race, 101));
	race.turns = 9;
	assert_false(try_goes_on(&race, 0));
}

TEST(a_race_without_settings_is_over)
{
	OWNED(try_race_fini) struct try_race race = race_of(3, 5);
	race.settings[1].state = TRY_SLOWER;
	race.settings[2].state = TRY_FAILED;
	assert_false(try_goes_on(&race, 0));
}

/* ---- verdicts ---- */

static struct try_race judged(size_t len, uint64_t turns, const double *at)
{
	struct try_race race = race_of(len, turns);
	while (race.turns < turns)
		run_turn(&race, at);
	try_judge(&race);
	return race;
}

TEST(the_fastest_of_those_that_are_significantly_faster_is_recommended)
{
	static const double at[] = {100, 120, 200, 150, 60, 100.0005};
	OWNED(try_race_fini) struct try_race race = judged(6, 5, at);
	assert_ptr_equal(race.recommended, &race.settings[2]);
	for (size_t i = 0; i < race.len; i++)
		assert_int_equal(race.settings[i].is_recommended, i == 2);
	assert_true(fabs(race.settings[2].ratio - 2) < 0.01);
	assert_true(fabs(race.settings[0].ratio - 1) < 1e-12);
	assert_true(fabs(race.settings[2].loss - 0.25) < 1e-12);
	assert_true(race.is_decided);
}

TEST(p_is_corrected_for_all_settings_and_those_that_were_dropped_count)
{
	/* One of four is faster in all runs, and one was dropped: 4 tests. */
	static const double at[] = {100, 200, 50, 100.001, 100.001};
	OWNED(try_race_fini) struct try_race race = judged(5, 5, at);
	assert_int_equal(race.settings[2].state, TRY_SLOWER);
	assert_true(fabs(race.settings[1].p - 4 * 2 / 3003.0) < 1e-12);
	assert_true(fabs(race.settings[2].p - 1) < 1e-12);
	race.settings[2].state = TRY_FAILED;
	try_judge(&race);
	assert_true(fabs(race.settings[1].p - 3 * 2 / 3003.0) < 1e-12);
}

TEST(a_gain_that_is_small_is_not_recommended)
{
	OWNED(try_race_fini) struct try_race race = judged(3, 5, (double[]){100, 104, 100});
	assert_null(race.recommended);
	assert_true(race.settings[1].p < TRY_ALPHA);
	assert_true(race.is_decided);
}

TEST(a_gain_that_may_be_chance_is_not_recommended)
{
	OWNED(try_race_fini) struct try_race race = race_of(2, 5);
	static const double seen[] = {100, 300, 100, 300, 100};
	for (size_t i = 0; i < 5; i++) {
		try_add_run(&race.settings[1], 2 * seen[i], 0);
		try_add_run(&race.settings[0], seen[i], 0);
		try_add_run(&race.settings[0], 1.5 * seen[i], 0);
	}
	try_judge(&race);
	assert_true(race.settings[1].ratio >= TRY_MIN_GAIN);
	assert_null(race.recommended);
}

TEST(three_runs_of_many_settings_decide_nothing)
{
	static const double at[] = {100, 200, 200, 200};
	OWNED(try_race_fini) struct try_race race = judged(4, 3, at);
	assert_null(race.recommended);
	assert_false(race.is_decided);
}

TEST(three_runs_of_settings_that_are_slower_decide)
{
	static const double at[] = {100, 50, 60, 70};
	OWNED(try_race_fini) struct try_race race = judged(4, 3, at);
	assert_null(race.recommended);
	assert_true(race.is_decided);
}

/* A setting that is compared with runs that were made later would look better than it is on a machine that slows down.
 */
TEST(a_setting_is_compared_with_the_runs_of_its_turns)
{
	OWNED(try_race_fini) struct try_race race = race_of(2, 9);
	for (int i = 0; i < 3; i++)
		run_turn(&race, (double[]){100, 50});
	assert_int_equal(race.settings[1].state, TRY_SLOWER);
	for (int i = 0; i < 6; i++)
		run_turn(&race, (double[]){10, 50});
	try_judge(&race);
	assert_true(fabs(race.settings[1].ratio - 0.5) < 0.01);
}

/* If no setting matters, one is recommended in at most 5 of 100 races; of 400, in 20. With a chance of 1 in 1000, in
 * more than 34. */
TEST(of_settings_that_do_not_matter_one_is_seldom_recommended)
{
	unsigned recommended = 0;
	srand(1);
	for (int i = 0; i < 400; i++) {
		OWNED(try_race_fini) struct try_race race = race_of(9, 5);
		while (try_goes_on(&race, 0)) {
			double at[9];
			for (size_t k = 0; k < 9; k++)
				at[k] = 100 + rand() % 50;
			run_turn(&race, at);
		}
		try_judge(&race);
		recommended += race.recommended != NULL;
	}
	assert_in_range(recommended, 0, 34);
}
