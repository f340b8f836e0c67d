/* SPDX-License-Identifier: MIT */
#include "budgets.h"

#include <string.h>

#include "capture_stderr.h"
#include "ranked.h"
#include "test.h"

static char printed[1024];

static bool is_budget(const char *text)
{
	struct budgets budgets = {.len = 0};
	bool is = budgets_add(&budgets, text);
	assert_int_equal(budgets.len, is);
	budgets_fini(&budgets);
	return is;
}

TEST(a_budget_has_a_kind_and_a_share_below_one)
{
	static const char *const good[] = {
		"lost:5%", "lost:0", "lost:0.999", "aborts:10%", "row:f:1%", "row:a.c:7:1%", "row:std::map::find:0.01"};
	static const char *const bad[] = {"", "lost", "lost:", "lost:x", "lost:5", "lost:100%", "lost:a:5%",
		"aborts:-1%", "row:5%", "row::5%", "row:f", "row:f:", "rows:f:5%", "Lost:5%"};
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
		assert_true(is_budget(good[i]));
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_false(is_budget(bad[i]));
}

TEST(there_is_room_for_so_many)
{
	struct budgets budgets = {.len = 0};
	for (size_t i = 0; i < BUDGETS_MAX; i++)
		assert_true(budgets_add(&budgets, "row:f:5%"));
	assert_false(budgets_add(&budgets, "row:f:5%"));
	assert_int_equal(budgets.len, BUDGETS_MAX);
	budgets_fini(&budgets);
}

/* Whether the recording in `made` exceeds the budget. */
static bool exceeds(const char *text)
{
	struct budgets budgets = {.len = 0};
	assert_true(budgets_add(&budgets, text));
	struct report report = {.recording = &made.recording, .symbols = symbols};
	capture_stderr_begin();
	bool exceeds = budgets_are_exceeded(&budgets, &report);
	capture_stderr_end(printed, sizeof printed);
	budgets_fini(&budgets);
	return exceeds;
}

static void assert_exceeds(const char *text, const char *message)
{
	assert_true(exceeds(text));
	assert_string_equal(printed, message);
}

static void assert_keeps(const char *text)
{
	assert_false(exceeds(text));
	assert_string_equal(printed, "");
}

TEST(a_run_that_loses_more_than_a_share_exceeds_it)
{
	BEGIN_WITH(conflict, "victim", "culprit", 10, LOST);
	rank();
	assert_exceeds("lost:49.9%", "stmlog: --fail-if=lost:49.9%: 50.0 % of the time on processors is lost\n");
	assert_keeps("lost:50%");
	assert_exceeds("aborts:0.2%", "stmlog: --fail-if=aborts:0.2%: 0.2 % of the attempts abort\n");
	assert_keeps("aborts:0.3%");
	begin();
	rank();
	assert_keeps("lost:0");
	assert_keeps("aborts:0");
}

TEST(a_row_is_named_by_its_function_or_line)
{
	BEGIN_WITH(conflict, "victim", "culprit", 10, LOST);
	made_time(&made, at("victim", BEGIN_LINE), 1000, LOST);
	rank();
	assert_exceeds("row:culprit:49%",
		"stmlog: --fail-if=row:culprit:49%: 50.0 % of the time on processors is lost because of it\n");
	assert_true(exceeds("row:a.c:10:49%"));
	assert_keeps("row:culprit:50%");
	assert_keeps("row:victim:0");
}

TEST(a_place_of_no_transaction_is_said)
{
	BEGIN_WITH(conflict, "victim", "culprit", 10, LOST);
	rank();
	assert_false(exceeds("row:culprits:1%"));
	assert_string_equal(printed, "stmlog: --fail-if: no recorded transaction is called culprits or begins there\n");
}

/* 100 ms, of which the interval of 95 % begins at 68 ms: that of 98 % begins at 61 ms, which are 31 % of the time. */
TEST(an_estimate_exceeds_a_share_that_is_below_its_interval)
{
	begin();
	made.recording.info.sample_every = 64;
	made.recording.info.sampled = 1;
	struct stmlog_entry_record *entry = lose(conflict, "victim", "culprit", 10, LOST);
	entry->lost_ns = entry->longest_ns = made.totals[0].lost_ns = LOST / 1000;
	entry->variance_ns2 = 2e7 * 2e7;
	rank();
	assert_true(exceeds("row:culprit:30%"));
	assert_keeps("row:culprit:31%");
}
