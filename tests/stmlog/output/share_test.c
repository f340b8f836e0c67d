/* SPDX-License-Identifier: MIT
 * The rows of the account, known from timed transactions, divided among entries. */

#include "random.h"
#include "sections.h"
#include "session_fixture.h"
#include "test.h"

enum { WEIGHT = 20 };

static struct sections sections;

static struct tb_site site(uintptr_t position)
{
	return tb_site_make(5, position);
}

/* A closely measured transaction that begins at a site, and loses `ns` at the place of the same number. */
static void measure(uintptr_t position, enum stmlog_reason reason, uint64_t ns)
{
	struct tb_stack *stack = stmlog_thread_stack(me());
	struct tb_site place = tb_site_make(9, position);
	struct stmlog_loss loss = stmlog_loss_make(reason, STMLOG_WRITE_READ, NULL);
	loss.local = tb_build(stack, &place, 1, TB_EMPTY);
	stmlog_set_weight(me(), WEIGHT);
	stmlog_start_at(me(), stmlog_now_ns(), site(position), TB_UNKNOWN);
	fake_clock_advance(ns);
	if (reason == STMLOG_PAUSE) {
		stmlog_waited(me(), &loss, ns);
	} else {
		stmlog_abort(me(), &loss);
		stmlog_retry(me());
	}
	fake_clock_advance(10);
	stmlog_commit(me());
	tb_unref(stack, loss.local);
}

static void time_at(uintptr_t position, uint64_t aborted_ns, uint64_t paused_ns)
{
	struct stmlog_timed_transaction timed = {.site = site(position),
		.weight = WEIGHT,
		.has_committed = true,
		.committed_ns = 10,
		.aborted_ns = aborted_ns,
		.paused_ns = paused_ns};
	stmlog_timed(me(), &timed);
	stmlog_unmeasured(me(), WEIGHT, 0);
}

/* All transactions have passed; reads the entries. */
static void look(void)
{
	fake_clock_advance(1000000000);
	stmlog_set_sampling(WEIGHT);
	assert_int_equal(sections_init(&sections, SECTIONS_OF_REPORT), 0);
}

static const struct stmlog_entry *entry_of(uintptr_t position)
{
	const struct group *group;
	for (size_t rank = 0; (group = timelog_at(sections.all.log, rank)) != NULL; rank++)
		if (tb_frame_site(group->entry.local).position == position)
			return &group->entry;
	fail_msg("no entry at place %zu", (size_t)position);
	return NULL;
}

static double sum_of(enum tries_lost_row row)
{
	const struct stmlog_timelog *log = sections.all.log;
	double sum = 0;
	for (size_t i = 0; i < log->len; i++)
		if (tries_lost_by(log->groups[i].entry.cause.reason) == row)
			sum += log->groups[i].entry.estimated_ns;
	return sum;
}

/* ---- claims ---- */

/* Both sites lose alike when they are looked into; left alone, the first loses ten times as much. */
TEST_WITH(session_fixture, an_entry_has_its_share_of_what_its_site_has_lost)
{
	for (int i = 0; i < 50; i++) {
		measure(1, STMLOG_SELF_ABORT, 100);
		measure(2, STMLOG_SELF_ABORT, 100);
		time_at(1, 1000, 0);
		time_at(2, 100, 0);
	}
	look();
	assert_in_range((uint64_t)(entry_of(1)->estimated_ns / entry_of(2)->estimated_ns * 1000), 9990, 10010);
	assert_true(sum_of(TRIES_ABORTED) <= (double)estimated_aborted_ns(sections.all.total.account) + 1);
	assert_true(sum_of(TRIES_ABORTED) >= 0.999 * (double)estimated_aborted_ns(sections.all.total.account));
	sections_fini(&sections);
}

TEST_WITH(session_fixture, sites_with_few_timed_losses_have_the_share_of_all)
{
	for (int i = 0; i < 50; i++) {
		measure(1, STMLOG_SELF_ABORT, 100);
		measure(2, STMLOG_SELF_ABORT, 300);
		time_at(i < 9 ? 1 : 3, 1000, 0);
	}
	look();
	assert_in_range((uint64_t)(entry_of(2)->estimated_ns / entry_of(1)->estimated_ns * 1000), 2990, 3010);
	sections_fini(&sections);
}

TEST_WITH(session_fixture, pauses_are_divided_apart_from_aborts)
{
	for (int i = 0; i < 50; i++) {
		measure(1, STMLOG_SELF_ABORT, 100);
		measure(2, STMLOG_PAUSE, 100);
		time_at(1, 200, 0);
		time_at(2, 0, 400);
	}
	look();
	assert_true(sum_of(TRIES_PAUSED) > 1.9 * sum_of(TRIES_ABORTED));
	assert_true(sum_of(TRIES_PAUSED) <= (double)sections.all.total.account.estimated_paused_ns + 1);
	sections_fini(&sections);
}

TEST_WITH(session_fixture, an_entry_is_no_less_than_what_was_measured)
{
	for (int i = 0; i < 50; i++) {
		measure(1, STMLOG_SELF_ABORT, 1000);
		time_at(1, 0, 0);
	}
	look();
	assert_true(entry_of(1)->estimated_ns >= 50 * 1000);
	sections_fini(&sections);
}

/* Without timed transactions, an entry stands for as much as the weights say. */
TEST_WITH(session_fixture, without_timed_transactions_weights_decide)
{
	for (int i = 0; i < 50; i++)
		measure(1, STMLOG_SELF_ABORT, 100);
	look();
	assert_int_equal((uint64_t)entry_of(1)->estimated_ns, 50 * 100 * WEIGHT);
	assert_int_equal((uint64_t)entry_of(1)->variance_ns2, 50 * WEIGHT * (WEIGHT - 1) * 100 * 100);
	sections_fini(&sections);
}

/* ---- commits ---- */

static void commit_at(uintptr_t position, uint32_t weight, uint64_t ns)
{
	stmlog_set_weight(me(), weight);
	stmlog_start_at(me(), stmlog_now_ns(), site(position), TB_UNKNOWN);
	fake_clock_advance(ns);
	stmlog_commit(me());
}

static uint64_t committed_at(uintptr_t position)
{
	for (size_t i = 0; i < sections.spent.tries_count; i++)
		if (sections.spent.tries[i].site.position == position)
			return (uint64_t)(sections.spent.tries[i].record.estimated_committed_ns + 0.5);
	return 0;
}

static uint64_t commits_at(uintptr_t position)
{
	for (size_t i = 0; i < sections.spent.tries_count; i++)
		if (sections.spent.tries[i].site.position == position)
			return (uint64_t)(sections.spent.tries[i].record.estimated_commits + 0.5);
	return 0;
}

TEST_WITH(session_fixture, a_site_has_the_commits_for_which_its_transactions_stand)
{
	commit_at(1, 1, 100);
	commit_at(2, 10, 300);
	commit_at(1, 10, 20);
	stmlog_unmeasured(me(), 18, 0);
	look();
	assert_int_equal(committed_at(1), 300);
	assert_int_equal(committed_at(2), 3000);
	assert_int_equal(commits_at(1), 11);
	assert_int_equal(commits_at(2), 10);
	assert_int_equal(sections.all.total.account.estimated_committed_ns, 3300);
	sections_fini(&sections);
}

TEST_WITH(session_fixture, commits_are_divided_as_those_of_timed_transactions)
{
	for (int i = 0; i < 30; i++) {
		commit_at(1, WEIGHT, 100);
		time_at(i % 3 == 0 ? 1 : 3, 0, 0);
	}
	look();
	uint64_t all_ns = sections.all.total.account.estimated_committed_ns;
	assert_int_equal(committed_at(1), 3000); /* as measured, though a third of all is less */
	assert_in_range(committed_at(3), all_ns * 2 / 3 - 1, all_ns * 2 / 3 + 1);
	assert_int_equal(commits_at(1), (30 + 30 * WEIGHT) / 3);
	assert_int_equal(commits_at(3), (30 + 30 * WEIGHT) * 2 / 3);
	sections_fini(&sections);
}

TEST_WITH(session_fixture, entries_fit_into_their_rows_whatever_was_lost)
{
	struct random random = {3};
	for (int round = 0; round < 200; round++) {
		session_tear_down();
		session_set_up();
		for (uint32_t i = random_below(&random, 100); i > 0; i--) {
			uintptr_t where = 1 + random_below(&random, 4);
			if (random_below(&random, 2) == 0)
				measure(where, random_below(&random, 2) == 0 ? STMLOG_PAUSE : STMLOG_SELF_ABORT,
					random_below(&random, 10000));
			else
				time_at(where, random_below(&random, 2) * random_below(&random, 10000),
					random_below(&random, 2) * random_below(&random, 10000));
		}
		look();
		double paused_ns = (double)sections.all.total.account.estimated_paused_ns;
		assert_true(sum_of(TRIES_ABORTED) <=
			    (double)estimated_aborted_ns(sections.all.total.account) * (1 + 1e-9) + STMLOG_CONTENTIONS);
		assert_true(sum_of(TRIES_PAUSED) <= paused_ns * (1 + 1e-9) + 1);
		sections_fini(&sections);
	}
}
