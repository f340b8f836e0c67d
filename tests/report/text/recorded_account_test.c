/* SPDX-License-Identifier: MIT */

#include <stmlog/agent.h>

#include "recorded_account.h"
#include "test.h"

/* Each contention has another number, so that none can stand for another. */
static const struct stmlog_thread_record thread = {
	.attached_ns = 100000,
	.outside_ns = 100000 - 11111 - 500,
	.committed_ns = 500,
	.aborted_ns = {1, 10, 100, 1000},
	.aborted_data_ns = 10000,
	.aborts = {2, 20, 200, 2000},
	.aborts_data = 20000,
	.unmeasured_aborts = 700000,
	.estimated_committed_ns = 500,
	.estimated_aborted_ns = {3, 30, 300, 3000},
	.estimated_aborted_data_ns = 30000,
};

TEST(aborts_of_each_contention_are_found)
{
	uint64_t digit = 1;
	for (uint32_t contention = 0; contention < STMLOG_CONTENTIONS; contention++, digit *= 10) {
		struct account_aborts aborts = account_aborts(&thread, contention);
		assert_int_equal(aborts.lost_ns, digit);
		assert_int_equal(aborts.count, 2 * digit);
		assert_int_equal(aborts.estimated_ns, 3 * digit);
	}
}

TEST(an_account_has_the_aborts_of_all)
{
	struct recording recording = {.info = {.sampled = 1, .sample_every = 2}, .threads = &thread, .thread_count = 1};
	struct recorded_account account = account_of(&recording, &thread);
	assert_int_equal(account.aborted_ns, 11111);
	assert_int_equal(account.aborts, 722222);
	assert_int_equal(account_residual(&account), 0);
	struct account_rows rows = account_rows_total(&recording);
	uint64_t sum_ns = account.open_ns;
	for (size_t row = 0; row < STMLOG_ACCOUNT_ROWS; row++)
		sum_ns += rows.at[row].ns;
	assert_int_equal(rows.at[STMLOG_ACCOUNT_ABORTED].ns, 33333);
	assert_int_equal(sum_ns, account.attached_ns);
}

TEST(the_interval_of_the_sample_is_the_one_set_or_else_the_mean)
{
	static const struct {
		uint64_t set, measured, unmeasured, interval;
	} cases[] = {{4, 10, 90, 4}, {1, 10, 90, 10}, {1, 10, 44, 5}, {1, 10, 45, 6}, {1, 10, 0, 1}, {1, 0, 90, 1},
		{1, 0, 0, 1}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct stmlog_thread_record commits = {
			.commits = cases[i].measured, .unmeasured_commits = cases[i].unmeasured};
		struct recording recording = {
			.info = {.sampled = 1, .sample_every = cases[i].set}, .threads = &commits, .thread_count = 1};
		assert_int_equal(account_sample_interval(&recording), cases[i].interval);
	}
}

/* ---- waits under way ---- */

enum { OPEN_NS = 700, OUTSIDE_NS = 300 };

TEST(a_wait_under_way_is_in_its_row_and_no_longer_than_there_was_time)
{
	static const struct {
		uint64_t recorded_open_ns, wait_ns, counted_ns;
		enum stmlog_open_kind kind;
	} cases[] = {
		{OPEN_NS, 500, 500, STMLOG_OPEN_WAIT},
		{OPEN_NS, OPEN_NS, OPEN_NS, STMLOG_OPEN_PAUSE},
		{OPEN_NS, OPEN_NS + 1, OPEN_NS, STMLOG_OPEN_COMMIT},
		{OPEN_NS, 500, 0, STMLOG_OPEN_TRANSACTION},
		{0, 200, 200, STMLOG_OPEN_COMMIT}, /* no hook has told of the transaction */
		{0, OUTSIDE_NS + 1, OUTSIDE_NS, STMLOG_OPEN_WAIT},
		{0, 0, 0, STMLOG_OPEN_WAIT},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		uint64_t open_ns = cases[i].recorded_open_ns;
		struct stmlog_thread_record waiting = {
			.id = 1, .attached_ns = OUTSIDE_NS + open_ns, .outside_ns = OUTSIDE_NS, .open_ns = open_ns};
		struct stmlog_open_record open[] = {{.thread = 2, .kind = STMLOG_OPEN_WAIT, .open_ns = 100},
			{.thread = 1, .kind = cases[i].kind, .open_ns = cases[i].wait_ns}};
		struct recording recording = {.threads = &waiting, .thread_count = 1, .open = open, .open_count = 2};
		struct recorded_account account = account_total(&recording);
		bool is_wait = cases[i].kind == STMLOG_OPEN_WAIT;
		assert_int_equal(is_wait ? account.waiting_ns : account.paused_ns, cases[i].counted_ns);
		assert_int_equal(is_wait ? account.paused_ns : account.waiting_ns, 0);
		assert_int_equal(account.open_ns, open_ns != 0 ? open_ns - cases[i].counted_ns : 0);
		assert_int_equal(account_residual(&account), 0);
		recording_set_rows(&recording);
		assert_int_equal(recording.row_ns[is_wait ? STMLOG_ACCOUNT_WAITING : STMLOG_ACCOUNT_PAUSED],
			cases[i].counted_ns);
	}
}

/* A second, of which 100 ms were measured; the rest of the time was outside of measured transactions. */
static struct stmlog_thread_record half_measured(void)
{
	return (struct stmlog_thread_record){
		.attached_ns = 1000000000,
		.outside_ns = 800000000,
		.committed_ns = 60000000,
		.aborted_ns = {40000000, 0, 0, 0},
		.descheduled_ns = 90000000,
		.open_ns = 10000000,
		.estimated_committed_ns = 300000000,
		.estimated_aborted_ns = {100000000, 0, 0, 0},
	};
}

static struct account_rows rows_of(const struct stmlog_thread_record *threads, size_t count, bool is_sampled)
{
	struct recording recording = {.info = {.sampled = is_sampled, .sample_every = 1}, .threads = threads};
	recording.thread_count = count;
	return count == 1 ? account_rows(&recording, threads) : account_rows_total(&recording);
}

static void expect_row(const struct account_rows *rows, size_t row, uint64_t ns, uint64_t low_ns, uint64_t high_ns)
{
	const struct estimate *at = &rows->at[row];
	assert_int_equal(at->ns, ns);
	assert_int_equal(at->low_ns, low_ns);
	assert_int_equal(at->high_ns, high_ns);
}

TEST(a_row_that_was_measured_is_exact)
{
	struct stmlog_thread_record one = half_measured();
	one.row_variance_ns2[STMLOG_ACCOUNT_COMMITTED] = 1e12;
	one.row_doubt_ns[STMLOG_ACCOUNT_DESCHEDULED] = 1000;
	struct account_rows rows = rows_of(&one, 1, false);
	expect_row(&rows, STMLOG_ACCOUNT_COMMITTED, 60000000, 60000000, 60000000);
	expect_row(&rows, STMLOG_ACCOUNT_OUTSIDE, 800000000, 800000000, 800000000);
	expect_row(&rows, STMLOG_ACCOUNT_DESCHEDULED, 90000000, 90000000, 90000000);
	assert_true(rows.at[STMLOG_ACCOUNT_COMMITTED].is_exact);
}

/* Half the width is the root of 19.6^2 + 5^2 ms. No row has more than the lower ends of the others leave. */
TEST(an_interval_has_chance_and_doubt)
{
	struct stmlog_thread_record one = half_measured();
	one.row_variance_ns2[STMLOG_ACCOUNT_COMMITTED] = 1e14; /* 10 ms */
	one.row_doubt_ns[STMLOG_ACCOUNT_COMMITTED] = 5000000;
	one.row_doubt_ns[STMLOG_ACCOUNT_DESCHEDULED] = 2000000;
	one.row_doubt_ns[STMLOG_ACCOUNT_OUTSIDE] = 40000000;
	struct account_rows rows = rows_of(&one, 1, true);
	expect_row(&rows, STMLOG_ACCOUNT_COMMITTED, 300000000, 280439158, 320925226);
	expect_row(&rows, STMLOG_ACCOUNT_ABORTED, 100000000, 100000000, 100000000);
	expect_row(&rows, STMLOG_ACCOUNT_OUTSIDE, 500000000, 460000000, 521538783);
	expect_row(&rows, STMLOG_ACCOUNT_DESCHEDULED, 90000000, 88022059, 92022388);
	assert_false(rows.at[STMLOG_ACCOUNT_ABORTED].is_exact);
}

TEST(errors_of_threads_add_up_by_their_squares_and_doubts_by_themselves)
{
	struct stmlog_thread_record two[2] = {half_measured(), half_measured()};
	two[0].row_variance_ns2[STMLOG_ACCOUNT_COMMITTED] = 9e12; /* 3 ms and 4 ms: 5 ms */
	two[1].row_variance_ns2[STMLOG_ACCOUNT_COMMITTED] = 16e12;
	two[0].row_doubt_ns[STMLOG_ACCOUNT_COMMITTED] = 1000000;
	two[1].row_doubt_ns[STMLOG_ACCOUNT_COMMITTED] = 2000000;
	two[0].row_doubt_ns[STMLOG_ACCOUNT_OUTSIDE] = 40000000;
	struct account_rows rows = rows_of(two, 2, true);
	expect_row(&rows, STMLOG_ACCOUNT_COMMITTED, 600000000, 589838135, 610336936);
}

/* No less than what was measured, and no more than the measured parts of the others leave. */
TEST(an_interval_ends_where_the_time_does)
{
	struct stmlog_thread_record one = half_measured();
	for (size_t row = 0; row < STMLOG_ACCOUNT_DESCHEDULED; row++)
		one.row_doubt_ns[row] = one.attached_ns;
	struct account_rows rows = rows_of(&one, 1, true);
	expect_row(&rows, STMLOG_ACCOUNT_COMMITTED, 300000000, 60000000, 860000000);
	expect_row(&rows, STMLOG_ACCOUNT_ABORTED, 100000000, 40000000, 840000000);
	expect_row(&rows, STMLOG_ACCOUNT_PAUSED, 0, 0, 800000000);
	expect_row(&rows, STMLOG_ACCOUNT_OUTSIDE, 500000000, 0, 800000000);
}

/* As other writers may have it. Committed and outside are not cut in silence. */
TEST(estimates_that_do_not_fit_are_scaled_in_proportion_and_doubted)
{
	struct stmlog_thread_record one = half_measured();
	one.estimated_committed_ns = 60000000 + 1200000000;
	one.estimated_aborted_ns[0] = 40000000 + 400000000;
	struct account_rows rows = rows_of(&one, 1, true);
	expect_row(&rows, STMLOG_ACCOUNT_COMMITTED, 660000000, 265907612, 795696430);
	expect_row(&rows, STMLOG_ACCOUNT_ABORTED, 240000000, 104303570, 552234214);
	expect_row(&rows, STMLOG_ACCOUNT_OUTSIDE, 0, 0, 0);
}

/* Of 1,000 commits 100 were measured, of 1 ms each. */
static struct stmlog_thread_record sample_of_commits(void)
{
	return (struct stmlog_thread_record){
		.attached_ns = 2000000000,
		.committed_ns = 100000000,
		.outside_ns = 1900000000,
		.estimated_committed_ns = 1000000000,
		.commits = 100,
		.unmeasured_commits = 900,
	};
}

static struct account_rows rows_of_sample(const struct stmlog_thread_record *one, bool is_counted, bool is_timed)
{
	struct recording recording = {
		.info = {.method = "", .sampled = 1, .counters_known = is_counted, .timed_commits = is_timed},
		.threads = one,
		.thread_count = 1};
	return account_rows(&recording, one);
}

TEST(counted_aborts_that_no_measured_loss_stands_for_widen_the_interval)
{
	struct stmlog_thread_record one = sample_of_commits();
	one.unmeasured_aborts = 50;
	struct account_rows rows = rows_of_sample(&one, true, false);
	expect_row(&rows, STMLOG_ACCOUNT_ABORTED, 0, 0, 50000000);
	/* Ten of 2 ms stand for 25; the others are as long as these. */
	one.aborts[0] = 10;
	one.aborted_ns[0] = 20000000;
	one.estimated_aborted_ns[0] = 50000000;
	rows = rows_of_sample(&one, true, false);
	expect_row(&rows, STMLOG_ACCOUNT_ABORTED, 50000000, 50000000, 120000000);
	/* Nine are too few to stand for others. */
	one.aborts[0] = 9;
	one.aborted_ns[0] = 18000000;
	rows = rows_of_sample(&one, true, false);
	expect_row(&rows, STMLOG_ACCOUNT_ABORTED, 50000000, 50000000, 118000000);
}

/* Fewer than 3 in 100. */
TEST(a_row_in_which_nothing_was_found_may_have_some)
{
	struct stmlog_thread_record one = sample_of_commits();
	struct account_rows rows = rows_of_sample(&one, true, false);
	expect_row(&rows, STMLOG_ACCOUNT_ABORTED, 0, 0, 0); /* each is counted */
	expect_row(&rows, STMLOG_ACCOUNT_PAUSED, 0, 0, 27000000);
	expect_row(&rows, STMLOG_ACCOUNT_WAITING, 0, 0, 27000000);
	rows = rows_of_sample(&one, false, false);
	expect_row(&rows, STMLOG_ACCOUNT_ABORTED, 0, 0, 27000000);
	rows = rows_of_sample(&one, false, true); /* the library has allowed for it */
	expect_row(&rows, STMLOG_ACCOUNT_PAUSED, 0, 0, 0);
}

TEST(where_no_abort_was_counted_none_took_time)
{
	for (int i = 0; i < 3; i++) {
		struct stmlog_thread_record one = sample_of_commits();
		one.row_doubt_ns[STMLOG_ACCOUNT_ABORTED] = 1000000;
		one.row_doubt_ns[STMLOG_ACCOUNT_OUTSIDE] = 1000000;
		one.unmeasured_aborts = i == 1;
		struct account_rows rows = rows_of_sample(&one, i != 2, true);
		assert_int_equal(rows.at[STMLOG_ACCOUNT_ABORTED].high_ns == 0, i == 0);
	}
}

/* Without a measured transaction, all the time there was. */
TEST(nothing_measured_says_nothing)
{
	struct stmlog_thread_record one = {
		.attached_ns = 1000, .outside_ns = 1000, .unmeasured_commits = 5, .unmeasured_aborts = 5};
	struct account_rows rows = rows_of_sample(&one, false, false);
	expect_row(&rows, STMLOG_ACCOUNT_PAUSED, 0, 0, 1000);
	expect_row(&rows, STMLOG_ACCOUNT_ABORTED, 0, 0, 1000);
}
