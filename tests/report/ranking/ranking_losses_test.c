/* SPDX-License-Identifier: MIT
 * Because of which transaction each loss was lost, and how. */
#include "ranking_search.h"
#include "ranked.h"

/* ---- one loss of each kind ---- */

/* A loss of `put`; each of these kinds belongs to one row. */
TEST(each_kind_of_loss_belongs_to_the_transaction_because_of_which_it_was_lost)
{
	static const struct {
		const struct loss_kind *kind;
		const char *culprit, *runtime;
		enum ranking_kind row;
		enum ranking_how how;
		const char *name;
	} cases[] = {
		{&conflict, "take", "libitm", RANKING_TRANSACTION, RANKING_CONFLICT, "take"},
		{&conflict, "put", "libitm", RANKING_TRANSACTION, RANKING_CONFLICT, "put"},
		{&conflict, NULL, "libitm", RANKING_UNKNOWN, RANKING_CONFLICT, "not known"},
		{&commit_wait, "take", "libitm", RANKING_TRANSACTION, RANKING_WAIT, "take"},
		{&lock_wait, "take", "ghc", RANKING_TRANSACTION, RANKING_WAIT, "take"},
		{&alone_wait, "take", "libitm", RANKING_TRANSACTION, RANKING_ALONE, "take"},
		/* Of libitm's bookkeeping: no transaction was running. */
		{&commit_wait, NULL, "libitm", RANKING_LIBITM, RANKING_WAIT, "libitm (ml_wt)"},
		{&alone_wait, NULL, "libitm", RANKING_LIBITM, RANKING_WAIT, "libitm (ml_wt)"},
		{&lock_wait, NULL, "ghc", RANKING_UNKNOWN, RANKING_WAIT, "not known"},
		{&alone_wait, NULL, "ghc", RANKING_UNKNOWN, RANKING_ALONE, "not known"},
		/* It waits until it may run alone. */
		{&upgrade_wait, NULL, "libitm", RANKING_TRANSACTION, RANKING_ALONE, "put"},
		{&upgrade_wait, "take", "libitm", RANKING_TRANSACTION, RANKING_WAIT, "take"},
		{&cancelled, NULL, "libitm", RANKING_TRANSACTION, RANKING_POLL, "put"},
		{&cancelled, "take", "libitm", RANKING_TRANSACTION, RANKING_POLL, "put"},
		{&retry_in_vain, "take", "ghc", RANKING_TRANSACTION, RANKING_WAKE, "take"},
		{&retry_in_herd, "take", "ghc", RANKING_TRANSACTION, RANKING_WAKE, "take"},
		{&retry_in_vain, NULL, "ghc", RANKING_UNKNOWN, RANKING_WAKE, "not known"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		begin();
		made.recording.info.runtime = cases[i].runtime;
		made.recording.info.method = "ml_wt";
		lose(*cases[i].kind, "put", cases[i].culprit, 10, LOST);
		const struct ranking_row *row = only_row();
		assert_int_equal(row->kind, cases[i].row);
		assert_int_equal(row->how, cases[i].how);
		assert_string_equal(row->name, cases[i].name);
		assert_int_equal(row->lost.ns, LOST);
		assert_string_equal(
			row->losers[0].text, cases[i].row != RANKING_TRANSACTION ? "put a.c:10" : "put :10");
	}
}

TEST(a_method_that_runs_one_transaction_at_a_time_makes_them_run_alone)
{
	begin();
	made.recording.info.method = "serialirr";
	lose(alone_wait, "put", NULL, 10, LOST);
	assert_string_equal(only_row()->name, "libitm (serialirr)");
	assert_int_equal(ranked.rows[0].how, RANKING_ALONE);
}

TEST(a_retry_that_waits_is_no_loss)
{
	BEGIN_WITH(retry, "put", "take", 10, LOST / 4);
	lose(conflict, "put", "take", 10, LOST);
	assert_int_equal(only_row()->lost.ns, LOST);
	assert_int_equal(ranked.total.ns, LOST);
	assert_int_equal(ranked.retried_ns, LOST / 4);
	assert_int_equal(ranked.unmeasured_ns + ranked.small.ns, 0);
}

TEST(losses_of_unknown_culprits_are_a_row_for_each_victim)
{
	BEGIN_WITH(conflict, "put", NULL, 10, LOST);
	lose(conflict, "get", NULL, 7, LOST / 2);
	lose(conflict, "put", NULL, 5, LOST / 4);
	rank();
	assert_int_equal(ranked.len, 2);
	assert_row("not known", 15, LOST + LOST / 4);
	assert_string_equal(ranked.rows[0].losers[0].text, "put a.c:10");
	assert_string_equal(ranked.rows[1].losers[0].text, "get a.c:10");
}

TEST(waits_of_libitm_for_no_transaction_are_one_row)
{
	BEGIN_WITH(commit_wait, "put", NULL, 10, LOST);
	lose(alone_wait, "get", NULL, 7, LOST / 2);
	rank();
	assert_int_equal(ranked.len, 1);
	assert_row("libitm", 17, LOST + LOST / 2);
	assert_int_equal(ranked.rows[0].loser_count, 2);
}

TEST(a_wake_whose_writer_was_not_measured_belongs_to_the_usual_waker_of_its_place)
{
	BEGIN_WITH(retry_in_vain, "put", NULL, 100, LOST);
	lose(retry_in_vain, "put", "take", 20, LOST);
	lose(retry_in_herd, "put", "get", 10, LOST);
	lose(retry_in_vain, "other", NULL, 10, LOST);
	lose(conflict, "other", "get", 100, LOST);
	rank();
	assert_row("take", 120, 2 * LOST);
	assert_row("get", 110, 2 * LOST);
	assert_row("not known", 10, LOST);
}

/* ---- where transactions begin ---- */

TEST(a_transaction_is_known_by_its_beginning_wherever_it_calls_from)
{
	begin();
	uint32_t helper = made_site(&made, "helper", 70);
	lose(conflict, "take", "put", 1, 1000);
	for (size_t i = 0; i < 2; i++)
		lose(conflict, "put", NULL, 10, LOST)->remote =
			made_traceback(&made, helper, made_site(&made, "take", BEGIN_LINE));
	rank();
	assert_row("take", 20, 2 * LOST);
}

TEST(without_a_beginning_it_is_known_by_its_access)
{
	begin();
	lose(conflict, "put", NULL, 10, LOST)->remote =
		made_traceback(&made, made_site(&made, "helper", 70), made_site(&made, "main", 3));
	assert_string_equal(only_row()->name, "helper");
	assert_string_equal(ranked.rows[0].line, "a.c:70");
}

TEST(a_victim_is_known_by_the_site_of_its_loss_or_by_its_traceback)
{
	BEGIN_WITH(conflict, "put", "take", 10, LOST);
	struct stmlog_entry_record *entry = lose(conflict, "get", "take", 10, LOST / 2);
	entry->local = made_traceback(&made, made_site(&made, "helper", 70), made_site(&made, "put", BEGIN_LINE));
	entry->site = STMLOG_NO_SITE;
	assert_int_equal(only_row()->loser_count, 1);
	assert_string_equal(ranked.rows[0].losers[0].text, "put :10");
}

/* ---- lengths ---- */

/* The search in a recording, and the places of two transactions. */
static struct ranking_search search;
static uint32_t put, take, put_begin;

static void search_lengths(void)
{
	begin();
	put_begin = at("put", BEGIN_LINE);
	struct stmlog_transaction_record *record = made_time(&made, put_begin, 30, 30 * 1000);
	record->attempts = 40;
	record->lost_ns = 10 * 1000;
	made_time(&made, at("take", BEGIN_LINE), 5, 5 * 4000);
	lose(cancelled, "put", NULL, 90, LOST);
	lose(cancelled, "take", NULL, 9, LOST);
	made_end(&made);
	symbols = symbols_create(&made.recording);
	static struct report report;
	report = (struct report){.recording = &made.recording, .symbols = symbols};
	search = ranking_search_begin(&report);
	put = search.losses[0].victim;
	take = search.losses[1].victim;
}

TEST(the_time_of_an_attempt_is_that_of_all_attempts_of_the_place)
{
	search_lengths();
	assert_true(ranking_attempt_ns(&search, put) == 1000);
	assert_true(ranking_other_attempts_ns(&search, put) == 4000);
	assert_true(ranking_attempt_ns(&search, take) == 4000);
	assert_true(ranking_attempt_ns(&search, PLACE_UNKNOWN) == 0);
	ranking_search_end(&search);
}

TEST(a_part_of_the_attempts_is_cancelled_from_ten_on)
{
	search_lengths();
	assert_true(ranking_cancelled_part(&search, put) == 0.75);
	assert_true(ranking_cancelled_part(&search, take) == 0);
	ranking_search_end(&search);
}

TEST(a_traceback_has_an_access_if_its_innermost_frame_is_no_beginning)
{
	search_lengths();
	assert_true(ranking_has_access(&search, made.entries[0].local));
	assert_false(ranking_has_access(&search, put_begin));
	assert_false(ranking_has_access(&search, 0));
	ranking_search_end(&search);
}
