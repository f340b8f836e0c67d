/* SPDX-License-Identifier: MIT
 * What replaying has told: gains in findings, their order, and the method that limits. */
#include <string.h>

#include "stories.h"

enum { GAINS_MAX = 8 };
static struct stmlog_gain_record gains[GAINS_MAX];

static void begin(void)
{
	made_begin(&made);
	memset(gains, 0, sizeof gains);
	made.recording.gains = gains;
	made.recording.gain_count = 0;
}

static void add_gain(const char *name, uint32_t number, double ratio, double low, double high)
{
	struct stmlog_gain_record *gain = &gains[made.recording.gain_count++];
	*gain = (struct stmlog_gain_record){.number = number, .ratio = ratio, .low = low, .high = high};
	strncpy(gain->name, name, sizeof gain->name - 1);
}

static void was_replayed(void)
{
	add_gain("replay", 0, 1, 0, 0.05);
}

TEST(without_a_replay_no_gain_is_known)
{
	begin();
	lose_to_irrevocable(LOST);
	add_gain("irrevocable", 0, 1.5, 1.4, 1.6);
	const struct copied *copied = finding_of(FINDING_IRREVOCABLE);
	assert_non_null(copied);
	assert_true(copied->finding.gain.ratio == 0);
	assert_false(finding_gains(&copied->finding));
	assert_false(finding_may_gain_nothing(&copied->finding));
}

TEST(the_gain_is_that_of_the_rule_and_its_number)
{
	begin();
	was_replayed();
	abort_over_neighbours(ABORTS);
	add_gain("false-sharing", 1, 3, 2, 4);
	add_gain("hot-word", 0, 3, 2, 4);
	assert_true(finding_of(FINDING_FALSE_SHARING)->finding.gain.ratio == 0);
	add_gain("false-sharing", 0, 1.25, 1.125, 1.5);
	const struct finding *finding = &finding_of(FINDING_FALSE_SHARING)->finding;
	assert_true(finding->gain.ratio == 1.25 && finding->gain.low == 1.125 && finding->gain.high == 1.5);
}

TEST(a_tenth_more_is_a_gain_if_the_lower_end_is_more_than_a_real_change_costs)
{
	struct finding finding = {.gain = {FINDING_GAIN_MIN, FINDING_GAIN_LOW_MIN, 2}};
	assert_true(finding_gains(&finding) && !finding_may_gain_nothing(&finding));
	finding.gain.ratio = 1.0999;
	assert_true(!finding_gains(&finding) && finding_may_gain_nothing(&finding));
	finding.gain.ratio = 0.5;
	assert_true(finding_may_gain_nothing(&finding));
	finding.gain = (struct finding_gain){1.5, 1.029, 2};
	assert_true(!finding_gains(&finding) && finding_may_gain_nothing(&finding));
}

TEST(the_advice_is_the_change_that_was_replayed)
{
	begin();
	was_replayed();
	abort_over_word(ABORTS);
	add_gain("hot-word", 0, 1.5, 1.25, 2);
	const char *usual = finding_rule_row(FINDING_HOT_WORD)->advice;
	assert_string_equal(finding_of(FINDING_HOT_WORD)->finding.advice, usual);
	gains[made.recording.gain_count - 1].way = STMLOG_GAIN_COMPUTED_BEFORE;
	assert_string_equal(finding_of(FINDING_HOT_WORD)->finding.advice, "compute before the transaction");
	gains[made.recording.gain_count - 1].way = UINT32_MAX;
	assert_string_equal(finding_of(FINDING_HOT_WORD)->finding.advice, usual);
}

TEST(what_gains_stands_before_what_costs_more)
{
	begin();
	was_replayed();
	lose_to_irrevocable(2 * LOST);
	lose_to_starved(LOST);
	assert_non_null(finding_of(FINDING_IRREVOCABLE));
	assert_int_equal(found[0].finding.rule, FINDING_IRREVOCABLE);
	add_gain("starvation", 0, 1.2, 1.1, 1.3);
	assert_non_null(finding_of(FINDING_IRREVOCABLE));
	assert_int_equal(found[0].finding.rule, FINDING_STARVATION);
	add_gain("irrevocable", 0, 1.3, 1.1, 1.3);
	assert_non_null(finding_of(FINDING_IRREVOCABLE));
	assert_int_equal(found[0].finding.rule, FINDING_IRREVOCABLE);
}

TEST(what_gains_nothing_stands_behind_what_is_not_known)
{
	begin();
	was_replayed();
	lose_to_irrevocable(2 * LOST);
	lose_to_starved(LOST);
	add_gain("irrevocable", 0, 0.97, 0.9, 1.05);
	assert_non_null(finding_of(FINDING_IRREVOCABLE));
	assert_int_equal(found[0].finding.rule, FINDING_STARVATION);
	assert_int_equal(found[1].finding.rule, FINDING_IRREVOCABLE);
}

TEST(the_method_limits_if_another_one_surely_gains_a_tenth)
{
	static const struct {
		double ratio, low;
		bool limits;
	} rows[] = {{1.5, 1.01, true}, {1.5, 1, false}, {1.09, 1.05, false}, {1.1, 1.05, true}};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		begin();
		made.recording.info.method = "ml_wt";
		was_replayed();
		add_gain("method-gl_wt", 0, rows[i].ratio, rows[i].low, 2);
		assert_true((finding_of(FINDING_METHOD_BOUND) != NULL) == rows[i].limits);
	}
}

TEST(the_method_stands_first_only_if_it_surely_gains_more_than_the_cause)
{
	for (int is_surer = 0; is_surer < 2; is_surer++) {
		begin();
		made.recording.info.method = "ml_wt";
		was_replayed();
		lose_to_irrevocable(LOST);
		add_gain("irrevocable", 0, 1.5, 1.3, 1.7);
		add_gain("method-gl_wt", 0, 1.8, is_surer ? 1.71 : 1.69, 2);
		assert_non_null(finding_of(FINDING_METHOD_BOUND));
		assert_int_equal(found[0].finding.rule, is_surer ? FINDING_METHOD_BOUND : FINDING_IRREVOCABLE);
	}
}

TEST(of_several_methods_the_best_is_advised_and_nothing_counts_as_lost)
{
	begin();
	made.recording.info.method = "ml_wt";
	was_replayed();
	add_gain("method-gl_wt", 0, 1.2, 1.1, 1.3);
	add_gain("method-serialirr", 0, 1.4, 1.1, 1.5);
	const struct copied *copied = finding_of(FINDING_METHOD_BOUND);
	assert_non_null(copied);
	assert_true(copied->finding.gain.ratio == 1.4);
	assert_non_null(strstr(copied->finding.advice, "ITM_DEFAULT_METHOD=serialirr"));
	assert_int_equal(copied->finding.lost.ns, 0);
}

static const struct {
	struct finding_gain gain;
	const char *text;
} texts[] = {
	{{0, 0, 0}, ""},
	{{1.45, 1.3, 1.6}, "+45 % commits/s (30 to 60)"},
	{{0.97, 0.9, 1.04}, "-3 % commits/s (-10 to 4)"},
	{{1.994, 1.9, 2.1}, "+99 % commits/s (90 to 110)"},
	{{13.31, 12, 16.42}, "13.3 times the commits/s (12.0 to 16.4)"},
};

static void compare_texts(void *unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		struct finding finding = {.gain = texts[i].gain};
		assert_string_equal(finding_gain_text(&finding), texts[i].text);
	}
}

TEST(gains_are_percents_up_to_twice_as_much_and_multiples_from_there)
{
	assert_int_equal(report_arena_run(compare_texts, NULL), 0);
}
