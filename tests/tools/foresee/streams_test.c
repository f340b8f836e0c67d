/* SPDX-License-Identifier: MIT
 * Streams of transactions: which times and accesses they have of those that were recorded. Sites, times and addresses
 * are the test's own. */
#include "made_streams.h"

#include <errno.h>
#include <math.h>

#include "random.h"
#include "temp_dir.h"

enum { SITE = 0x401000, OTHER_SITE = 0x402000, X = 0x7000, Y = 0x8000 };

/* What is taken to be the time of libitm's begin where no site tells, and how many transactions tell. */
enum { BEGIN_NS = 60, ENOUGH = 16 };

/* ---- which records are streams ---- */

static void expect_none(const struct stmlog_access_record *at, size_t len)
{
	struct streams streams = streams_recorded(at, len);
	assert_int_equal(streams.len, 0);
	streams_fini(&streams);
}

TEST(records_out_of_order_are_no_streams)
{
	expect_none(ARRAY(BEGIN(SITE, 0), COMMIT(0)));
	expect_none(ARRAY(COMMIT(0), THREAD(1), BEGIN(SITE, 0), COMMIT(0)));
	expect_none(ARRAY(THREAD(1), READ(X, 0)));
	expect_none(ARRAY(THREAD(1), COMMIT(0)));
	expect_none(ARRAY(THREAD(1), BEGIN(SITE, 0)));
	expect_none(ARRAY(THREAD(1), BEGIN(SITE, 0), READ(X, 0)));
	expect_none(ARRAY(THREAD(1), BEGIN(SITE, 0), BEGIN(SITE, 0), COMMIT(0)));
	expect_none(ARRAY(THREAD(1), BEGIN(SITE, 0), COMMIT(0), ALONE(0), COMMIT(0)));
	expect_none(ARRAY(THREAD(1), BEGIN(SITE, 0), CANCEL(0), COMMIT(0)));
	expect_none(ARRAY(THREAD(1), BEGIN(SITE, 0), {X, 0, STMLOG_ACCESS_KINDS, 8}, COMMIT(0)));
	expect_none(ARRAY(THREAD(1), BEGIN(SITE, 0), {X, 0, UINT16_MAX, 8}, COMMIT(0)));
	/* What is wrong in one stream leaves none of the others. */
	expect_none(ARRAY(THREAD(1), BEGIN(SITE, 0), COMMIT(0), THREAD(2), BEGIN(SITE, 0)));
}

TEST(a_time_that_is_none_leaves_no_streams)
{
	static const float wrong[] = {NAN, INFINITY, -INFINITY, -1, -0.5f};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		expect_none(ARRAY(THREAD(1), BEGIN(SITE, 0), READ(X, wrong[i]), COMMIT(0)));
		expect_none(ARRAY(THREAD(1), BEGIN(SITE, 0), COMMIT(wrong[i])));
	}
	expect_none(ARRAY(THREAD(1), BEGIN(SITE, NAN), COMMIT(0)));
	expect_none(ARRAY(THREAD(1), BEGIN(SITE, -INFINITY), COMMIT(0)));
}

TEST(threads_without_transactions_have_no_stream)
{
	expect_none(NULL, 0);
	expect_none(ARRAY(THREAD(1)));
	expect_none(ARRAY(THREAD(1), THREAD(2)));
	expect_then_end(streams_recorded(ARRAY(THREAD(1), THREAD(7), BEGIN(SITE, 5), COMMIT(0), THREAD(9))),
		ARRAY(THREAD(7), BEGIN(SITE, 5), COMMIT(0)));
}

TEST(each_thread_has_a_stream_of_whole_transactions)
{
	struct streams streams = streams_recorded(ARRAY(THREAD(7), BEGIN(SITE, 5), COMMIT(0), BEGIN(SITE, 5), CANCEL(0),
		THREAD(3), BEGIN(OTHER_SITE, 5), READ(X, 0), COMMIT(0)));
	assert_int_equal(streams.len, 2);
	assert_int_equal(streams.at[0].thread_id, 7);
	assert_int_equal(streams.at[1].thread_id, 3);
	assert_int_equal(stream_transaction_len(&streams.at[0], 0), 2);
	assert_int_equal(stream_transaction_len(&streams.at[0], 2), 2);
	assert_int_equal(stream_transaction_len(&streams.at[1], 0), 3);
	streams_fini(&streams);
	assert_int_equal(streams.len, 0);
}

/* ---- times outside ---- */

TEST(an_unknown_time_outside_becomes_the_mean_of_the_known)
{
	expect_then_end(streams_recorded(ARRAY(THREAD(1), BEGIN(SITE, -1), COMMIT(0), BEGIN(OTHER_SITE, 100), COMMIT(0),
				BEGIN(SITE, -1), COMMIT(0), BEGIN(SITE, 300), COMMIT(0))),
		ARRAY(THREAD(1), BEGIN(SITE, 200), COMMIT(0), BEGIN(OTHER_SITE, 100), COMMIT(0), BEGIN(SITE, 200),
			COMMIT(0), BEGIN(SITE, 300), COMMIT(0)));
}

TEST(of_each_thread_by_itself_and_0_where_none_is_known)
{
	expect_then_end(streams_recorded(ARRAY(THREAD(1), BEGIN(SITE, -1), COMMIT(0), BEGIN(SITE, 100), COMMIT(0),
				THREAD(2), BEGIN(SITE, -1), COMMIT(0), BEGIN(SITE, -1), COMMIT(0))),
		ARRAY(THREAD(1), BEGIN(SITE, 100), COMMIT(0), BEGIN(SITE, 100), COMMIT(0), THREAD(2), BEGIN(SITE, 0),
			COMMIT(0), BEGIN(SITE, 0), COMMIT(0)));
}

/* ---- transactions that ran alone ---- */

TEST(a_transaction_without_accesses_gets_the_next_ones_of_its_site)
{
	expect_then_end(
		streams_recorded(ARRAY(THREAD(1), BEGIN(SITE, 1), READ(X, 0), COMMIT(0), BEGIN(SITE, 2), COMMIT(0),
			BEGIN(OTHER_SITE, 3), READ(0x9000, 0), COMMIT(0), BEGIN(SITE, 4), WRITE(Y, 0), COMMIT(0))),
		ARRAY(THREAD(1), BEGIN(SITE, 1), READ(X, 0), COMMIT(0), BEGIN(SITE, 2), WRITE(Y, 0), COMMIT(0),
			BEGIN(OTHER_SITE, 3), READ(0x9000, 0), COMMIT(0), BEGIN(SITE, 4), WRITE(Y, 0), COMMIT(0)));
}

TEST(behind_the_last_one_it_gets_those_of_the_first)
{
	expect_then_end(streams_recorded(ARRAY(THREAD(1), BEGIN(SITE, 1), READ(X, 0), COMMIT(0), BEGIN(SITE, 2),
				WRITE(Y, 0), COMMIT(0), BEGIN(SITE, 3), COMMIT(0), BEGIN(SITE, 4), COMMIT(0))),
		ARRAY(THREAD(1), BEGIN(SITE, 1), READ(X, 0), COMMIT(0), BEGIN(SITE, 2), WRITE(Y, 0), COMMIT(0),
			BEGIN(SITE, 3), READ(X, 0), COMMIT(0), BEGIN(SITE, 4), READ(X, 0), COMMIT(0)));
}

TEST(it_stays_empty_where_its_site_has_no_accesses_in_its_thread)
{
	const struct stmlog_access_record records[] = {THREAD(1), BEGIN(SITE, 1), COMMIT(0), BEGIN(OTHER_SITE, 2),
		READ(X, 0), COMMIT(0), THREAD(2), BEGIN(SITE, 3), READ(Y, 0), COMMIT(0)};
	expect_then_end(
		streams_recorded(records, sizeof records / sizeof *records), records, sizeof records / sizeof *records);
}

/* ---- libitm's begin ---- */

/* One thread, with so many transactions: of the site, with a time before the first access each, and of another one. */
struct firsts {
	size_t of_site, of_other;
	float of_site_ns, of_other_ns;
};

static void add_transactions(struct stmlog_access_record *at, size_t *len, uint64_t site, float first_ns, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		at[(*len)++] = (struct stmlog_access_record)BEGIN(site, 1);
		at[(*len)++] = (struct stmlog_access_record)READ(X, first_ns);
		at[(*len)++] = (struct stmlog_access_record)COMMIT(7);
	}
}

/* Sets the times before the first accesses to what they have become. */
static void clean_firsts(struct firsts *firsts)
{
	struct stmlog_access_record at[400] = {THREAD(1)};
	size_t len = 1;
	add_transactions(at, &len, SITE, firsts->of_site_ns, firsts->of_site);
	add_transactions(at, &len, OTHER_SITE, firsts->of_other_ns, firsts->of_other);
	struct streams streams = streams_recorded(at, len);
	assert_int_equal(streams.at[0].len, len - 1);
	firsts->of_site_ns = streams.at[0].at[1].gap_ns;
	for (size_t i = 0; i < len - 1; i += 3) {
		bool is_other = streams.at[0].at[i].address == OTHER_SITE;
		firsts->of_other_ns = is_other ? streams.at[0].at[i + 1].gap_ns : firsts->of_other_ns;
		if (!is_other)
			assert_float_equal(streams.at[0].at[i + 1].gap_ns, firsts->of_site_ns, 0.01);
		assert_float_equal(streams.at[0].at[i + 2].gap_ns, 7, 0.01);
	}
	streams_fini(&streams);
}

static void expect_firsts(struct firsts firsts, float of_site_ns, float of_other_ns)
{
	clean_firsts(&firsts);
	assert_float_equal(firsts.of_site_ns, of_site_ns, 0.01);
	assert_float_equal(firsts.of_other_ns, of_other_ns, 0.01);
}

TEST(begin_is_taken_out_of_the_first_time)
{
	expect_firsts((struct firsts){ENOUGH, ENOUGH, 25, 100}, 0, 75);
	expect_firsts((struct firsts){ENOUGH, ENOUGH, 0, 100}, 0, 100);
	expect_firsts((struct firsts){1, ENOUGH, 100, 25}, 75, 0);
}

TEST(it_takes_no_longer_than_it_may)
{
	expect_firsts((struct firsts){ENOUGH, ENOUGH, 1000, BEGIN_NS}, 1000 - BEGIN_NS, 0);
	expect_firsts((struct firsts){ENOUGH, ENOUGH, 1000, BEGIN_NS + 1}, 1000 - BEGIN_NS, 1);
	expect_firsts((struct firsts){ENOUGH, ENOUGH, 1000, 2000}, 1000 - BEGIN_NS, 2000 - BEGIN_NS);
}

/* Nor does the time before the first access become negative. */
TEST(a_site_of_few_transactions_does_not_tell_it)
{
	expect_firsts((struct firsts){ENOUGH - 1, ENOUGH, 10, 50}, 0, 0);
	expect_firsts((struct firsts){ENOUGH, ENOUGH, 10, 50}, 0, 40);
	expect_firsts((struct firsts){1, 1, 70, 1000}, 70 - BEGIN_NS, 1000 - BEGIN_NS);
}

/* Half of the transactions have waited in begin: for them the time is half as long again as usual. */
TEST(what_half_of_the_transactions_wait_in_begin_is_no_time_of_the_program)
{
	struct stmlog_access_record at[400] = {THREAD(1)};
	size_t len = 1;
	add_transactions(at, &len, OTHER_SITE, 10, ENOUGH);
	for (size_t i = 0; i < ENOUGH; i++)
		add_transactions(at, &len, SITE, i % 2 == 0 ? 30 : 40000, 1);
	struct streams streams = streams_recorded(at, len);
	assert_float_equal(streams.at[0].at[3 * ENOUGH + 1].gap_ns, 30 - 10, 0.01);
	assert_float_equal(streams.at[0].at[3 * ENOUGH + 4].gap_ns, 45 - 10, 0.01);
	streams_fini(&streams);
}

/* ---- times that are rare ---- */

/* So many transactions of one access, in which the times before the access and before the commit are those of `times`,
 * and then `usual`. */
enum { MAX = 200 };
static struct streams with_times(const float times[][2], size_t rare, size_t count, const float usual[2], bool is_alone)
{
	static struct stmlog_access_record at[1 + 4 * MAX];
	size_t len = 0;
	at[len++] = (struct stmlog_access_record)THREAD(1);
	for (size_t i = 0; i < count; i++) {
		const float *time = i < rare ? times[i] : usual;
		at[len++] = (struct stmlog_access_record)BEGIN(SITE, 1);
		if (is_alone)
			at[len++] = (struct stmlog_access_record)ALONE(BEGIN_NS);
		at[len++] = (struct stmlog_access_record)READ(X, time[0]);
		at[len++] = (struct stmlog_access_record)COMMIT(time[1]);
	}
	return streams_recorded(at, len);
}

TEST(a_first_time_is_at_max_half_as_long_again_as_usual)
{
	static const float times[][2] = {{1e6f, 5}, {151, 5}, {150, 5}, {149, 5}, {0, 5}}, usual[2] = {100, 5};
	static const float wanted[] = {90, 90, 90, 89, 0, 40};
	struct streams streams = with_times(times, 5, 15, usual, false);
	for (size_t i = 0; i < 6; i++)
		assert_float_equal(streams.at[0].at[3 * i + 1].gap_ns, wanted[i], 0.01);
	streams_fini(&streams);
}

/* The times before the commits of so many transactions of which the first `rare` take long: how many are cut. */
static size_t cut_of(size_t rare, size_t count, bool is_alone)
{
	static const float times[][2] = {{70, 1e5f}, {70, 2e5f}, {70, 3e5f}, {70, 4e5f}, {70, 5e5f}},
			   usual[2] = {70, 5};
	struct streams streams = with_times(times, rare, count, usual, is_alone);
	size_t cut = 0, each = streams.at[0].len / count;
	for (size_t i = 0; i < count; i++) {
		float found = streams.at[0].at[each * i + each - 1].gap_ns, was = i < rare ? times[i][1] : usual[1];
		assert_true(found <= was);
		assert_true(found >= usual[1]);
		cut += found < was;
	}
	streams_fini(&streams);
	return cut;
}

TEST(of_fifty_transactions_the_longest_other_time_is_cut)
{
	assert_int_equal(cut_of(1, 49, false), 0);
	assert_int_equal(cut_of(1, 50, false), 1);
	assert_int_equal(cut_of(3, 50, false), 1);
	assert_int_equal(cut_of(3, 149, false), 2);
	assert_int_equal(cut_of(5, 150, false), 3);
	assert_int_equal(cut_of(0, 150, false), 0);
}

TEST(what_an_irrevocable_transaction_does_is_not_cut)
{
	assert_int_equal(cut_of(1, 50, true), 0);
	assert_int_equal(cut_of(5, 150, true), 0);
	static const float times[][2] = {{1e6f, 5}, {5, 1e6f}}, usual[2] = {5, 5};
	struct streams streams = with_times(times, 2, 100, usual, true);
	assert_float_equal(streams.at[0].at[2].gap_ns, 1e6f, 1);
	assert_float_equal(streams.at[0].at[7].gap_ns, 1e6f, 1);
	streams_fini(&streams);
}

/* ---- copies ---- */

static const struct stmlog_access_record usual[] = {THREAD(4), BEGIN(SITE, 1000), READ(X, 10), WRITE(Y, 20), COMMIT(30),
	BEGIN(OTHER_SITE, 50), CANCEL(40), BEGIN(SITE, 2000), ALONE(10), COMMIT(3000), THREAD(2), BEGIN(SITE, 1),
	WRITE(X, 5), COMMIT(199)};
enum { USUAL = sizeof usual / sizeof *usual };

TEST(a_copy_has_its_own_records)
{
	struct streams streams = streams_made(usual, USUAL), copy = streams_copy(&streams);
	expect_records(&copy, usual, USUAL);
	streams.at[0].at[0].gap_ns = 7;
	streams_fini(&streams);
	expect_then_end(copy, usual, USUAL);
}

TEST(short_times_without_overhead_are_whole_steps)
{
	struct streams streams = streams_made(ARRAY(THREAD(1), BEGIN(SITE, 15), READ(X, 16), READ(X, 3), WRITE(X, 3),
		WRITE(X, 199), WRITE(X, 201.5f), COMMIT(0)));
	expect_then_end(streams_without_overhead(&streams, 0),
		ARRAY(THREAD(1), BEGIN(SITE, 10), READ(X, 20), READ(X, 0), WRITE(X, 0), WRITE(X, 206), WRITE(X, 201.5f),
			COMMIT(0)));
	/* 15; then, each 2 ns shorter, 14 + 5, 1 + 9, 1, 197 + 1, 199.5 + 8. */
	expect_then_end(streams_without_overhead(&streams, 2),
		ARRAY(THREAD(1), BEGIN(SITE, 10), READ(X, 10), READ(X, 10), WRITE(X, 0), WRITE(X, 190),
			WRITE(X, 207.5f), COMMIT(0)));
	streams_fini(&streams);
}

TEST(times_are_never_negative_and_what_is_missing_is_taken_from_the_next)
{
	struct streams streams = streams_made(ARRAY(THREAD(1), BEGIN(SITE, 0), READ(X, 2), READ(X, 2), WRITE(X, 300),
		COMMIT(2), BEGIN(SITE, 500), COMMIT(2), THREAD(2), BEGIN(SITE, 10), COMMIT(10)));
	expect_then_end(streams_without_overhead(&streams, 10),
		ARRAY(THREAD(1), BEGIN(SITE, 0), READ(X, 0), READ(X, 0), WRITE(X, 274), COMMIT(0), BEGIN(SITE, 492),
			COMMIT(0), THREAD(2), BEGIN(SITE, 10), COMMIT(0)));
	streams_fini(&streams);
}

static double sum_ns(const struct stream *stream)
{
	double sum = 0;
	for (size_t i = 0; i < stream->len; i++)
		sum += (double)stream->at[i].gap_ns;
	return sum;
}

static void expect_steps(const struct stream *stream)
{
	for (size_t i = 0; i < stream->len; i++) {
		float ns = stream->at[i].gap_ns;
		assert_true(ns >= 0);
		if (ns < 200)
			assert_float_equal(ns / 10, roundf(ns / 10), 1e-4);
	}
}

/* At random: up to the last step the sum is what it was, less the overhead of each call but BEGIN. */
TEST(the_sum_of_the_times_stays_but_for_the_overhead)
{
	struct random random = {11};
	struct stmlog_access_record at[1 + 3 * 100] = {THREAD(1)};
	for (int round = 0; round < 200; round++) {
		size_t len = 1;
		for (int i = 0; i < 100; i++) {
			float ns[3];
			for (int k = 0; k < 3; k++)
				ns[k] = (float)random_below(&random, random_below(&random, 10) == 0 ? 1000000 : 3000) /
					10;
			at[len++] = (struct stmlog_access_record)BEGIN(SITE, ns[0]);
			at[len++] = (struct stmlog_access_record)READ(X, ns[1]);
			at[len++] = (struct stmlog_access_record)COMMIT(ns[2]);
		}
		double overhead_ns = random_below(&random, 80) / 10.0;
		struct streams streams = streams_made(at, len), copy = streams_without_overhead(&streams, overhead_ns);
		double missing_ns = sum_ns(&streams.at[0]) - 200 * overhead_ns - sum_ns(&copy.at[0]);
		assert_true(missing_ns > -10 && missing_ns < 10.5);
		expect_steps(&copy.at[0]);
		streams_fini(&streams);
		streams_fini(&copy);
	}
}

/* ---- other numbers of threads ---- */

TEST(fewer_threads_make_the_transactions_of_all)
{
	static const struct stmlog_access_record joined[] = {THREAD(4), BEGIN(SITE, 1000), READ(X, 10), WRITE(Y, 20),
		COMMIT(30), BEGIN(OTHER_SITE, 50), CANCEL(40), BEGIN(SITE, 2000), ALONE(10), COMMIT(3000),
		BEGIN(SITE, 1), WRITE(X, 5), COMMIT(199)};
	struct streams streams = streams_made(usual, USUAL);
	struct streams none = streams_for_threads(&streams, 0), one = streams_for_threads(&streams, 1);
	assert_int_equal(none.len, 0);
	streams_fini(&none);
	expect_then_end(one, joined, sizeof joined / sizeof *joined);
	expect_then_end(streams_for_threads(&streams, 2), usual, USUAL);
	streams_fini(&streams);
}

/* The number of each transaction is its site. */
static struct streams numbered(size_t transactions)
{
	struct streams streams = {.at = memory_zeroed(2, sizeof *streams.at), .len = 1};
	streams.at[0] =
		(struct stream){memory_zeroed(2 * transactions, sizeof *streams.at[0].at), 0, 2 * transactions, 5, 0};
	for (size_t i = 0; i < transactions; i++) {
		streams.at[0].at[streams.at[0].len++] = (struct stmlog_access_record)BEGIN(i, 1);
		streams.at[0].at[streams.at[0].len++] = (struct stmlog_access_record)COMMIT(2);
	}
	return streams;
}

/* A model: a turned stream goes on where the next one begins. */
TEST(more_threads_have_the_streams_again_each_turned)
{
	for (size_t threads = 1; threads <= 64; threads *= 2) {
		struct streams streams = numbered(64), more = streams_for_threads(&streams, threads);
		assert_int_equal(more.len, threads);
		for (size_t i = 0; i < threads; i++) {
			assert_int_equal(more.at[i].len, 128);
			for (size_t k = 0; k < 64; k++) {
				assert_int_equal(more.at[i].at[2 * k].kind, STMLOG_ACCESS_BEGIN);
				assert_int_equal(more.at[i].at[2 * k].address, (i * 64 / threads + k) % 64);
				assert_int_equal(more.at[i].at[2 * k + 1].kind, STMLOG_ACCESS_COMMIT);
			}
		}
		streams_fini(&streams);
		streams_fini(&more);
	}
}

TEST(a_stream_of_one_transaction_is_the_same_when_turned)
{
	struct streams streams = numbered(1), more = streams_for_threads(&streams, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(more.at[i].len, 2);
		assert_int_equal(more.at[i].at[0].kind, STMLOG_ACCESS_BEGIN);
	}
	streams_fini(&streams);
	streams_fini(&more);
}

TEST(of_two_streams_each_gets_its_turns)
{
	struct streams streams = streams_made(
		ARRAY(THREAD(1), BEGIN(1, 0), COMMIT(0), BEGIN(2, 0), COMMIT(0), THREAD(2), BEGIN(3, 0), COMMIT(0)));
	expect_then_end(streams_for_threads(&streams, 3),
		ARRAY(THREAD(1), BEGIN(1, 0), COMMIT(0), BEGIN(2, 0), COMMIT(0), THREAD(2), BEGIN(3, 0), COMMIT(0),
			THREAD(1), BEGIN(2, 0), COMMIT(0), BEGIN(1, 0), COMMIT(0)));
	streams_fini(&streams);
}

/* ---- windows ---- */

/* Two threads in windows 3 and 4; the second one has nothing of window 4. */
static const struct stmlog_access_record in_windows[] = {THREAD_IN(7, 3), BEGIN(1, 5), COMMIT(0), BEGIN(2, 5),
	COMMIT(0), THREAD_IN(7, 4), BEGIN(3, 5), COMMIT(0), THREAD_IN(8, 3), BEGIN(4, 6), COMMIT(0)};
enum { IN_WINDOWS = sizeof in_windows / sizeof *in_windows };

TEST(a_window_begins_another_stream_of_the_same_thread)
{
	struct streams streams = streams_recorded(ARRAY(THREAD(7), BEGIN(1, -4), COMMIT(0), BEGIN(2, 5), COMMIT(0),
		BEGIN(3, -5), COMMIT(0), THREAD(8), BEGIN(4, -4), COMMIT(0), BEGIN(4, 6), COMMIT(0)));
	assert_int_equal(streams_threads(&streams, streams.len), 2);
	expect_then_end(streams,
		ARRAY(THREAD_IN(7, 3), BEGIN(1, 5), COMMIT(0), BEGIN(2, 5), COMMIT(0), THREAD_IN(7, 4), BEGIN(3, 5),
			COMMIT(0), THREAD_IN(8, 3), BEGIN(4, 6), COMMIT(0), BEGIN(4, 6), COMMIT(0)));
}

TEST(an_unknown_time_within_a_window_begins_no_stream)
{
	struct streams streams = streams_recorded(ARRAY(THREAD(7), BEGIN(1, -2), COMMIT(0), BEGIN(2, -1), COMMIT(0)));
	expect_then_end(streams, ARRAY(THREAD_IN(7, 1), BEGIN(1, 0), COMMIT(0), BEGIN(2, 0), COMMIT(0)));
}

TEST(threads_are_counted_and_not_their_windows)
{
	static const size_t of_the_first[] = {0, 1, 1, 2};
	struct streams streams = streams_made(in_windows, IN_WINDOWS);
	for (size_t i = 0; i <= streams.len; i++)
		assert_int_equal(streams_threads(&streams, i), of_the_first[i]);
	streams_fini(&streams);
}

TEST(one_thread_makes_what_all_have_made_in_a_window)
{
	struct streams streams = streams_made(in_windows, IN_WINDOWS);
	expect_then_end(streams_for_threads(&streams, 1),
		ARRAY(THREAD_IN(7, 3), BEGIN(1, 5), COMMIT(0), BEGIN(2, 5), COMMIT(0), BEGIN(4, 6), COMMIT(0),
			THREAD_IN(7, 4), BEGIN(3, 5), COMMIT(0)));
	streams_fini(&streams);
}

TEST(more_threads_have_each_window_turned)
{
	struct streams streams = streams_made(in_windows, IN_WINDOWS), more = streams_for_threads(&streams, 3);
	assert_int_equal(streams_threads(&more, more.len), 3);
	expect_then_end(
		more, ARRAY(THREAD_IN(7, 3), BEGIN(1, 5), COMMIT(0), BEGIN(2, 5), COMMIT(0), THREAD_IN(7, 4),
			      BEGIN(3, 5), COMMIT(0), THREAD_IN(8, 3), BEGIN(4, 6), COMMIT(0), THREAD_IN(7, 3),
			      BEGIN(2, 5), COMMIT(0), BEGIN(1, 5), COMMIT(0), THREAD_IN(7, 4), BEGIN(3, 5), COMMIT(0)));
	streams_fini(&streams);
}

/* ---- the replay's file ---- */

static size_t written(const char *path, struct stmlog_access_record *at, size_t max)
{
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	size_t len = fread(at, sizeof *at, max, file);
	assert_int_equal(fgetc(file), EOF);
	fclose(file);
	return len;
}

TEST(the_file_has_the_records_and_a_thread_before_each_stream)
{
	struct stmlog_access_record found[USUAL + 1];
	const char *path = temp_dir_path("replayed");
	struct streams streams = streams_made(usual, USUAL);
	assert_true(streams_write(&streams, path));
	assert_int_equal(written(path, found, USUAL + 1), USUAL);
	assert_memory_equal(found, usual, sizeof usual);
	streams.at[0].len = 0;
	assert_true(streams_write(&streams, path));
	assert_int_equal(written(path, found, USUAL + 1), 4);
	assert_memory_equal(found, usual + 10, 4 * sizeof *usual);
	streams.len = 0;
	assert_true(streams_write(&streams, path));
	assert_int_equal(written(path, found, USUAL + 1), 0);
	streams.len = 2;
	streams_fini(&streams);
}

TEST(a_file_that_cannot_be_written_is_told)
{
	struct streams streams = streams_made(usual, USUAL);
	errno = 0;
	assert_false(streams_write(&streams, "/nonexistent/file"));
	assert_int_equal(errno, ENOENT);
	if (access("/dev/full", W_OK) == 0)
		assert_false(streams_write(&streams, "/dev/full"));
	streams_fini(&streams);
}

GROUP_WITH(temp_dir_fixture);
