/* SPDX-License-Identifier: MIT
 * Time that is no loss: off the processor, and asleep after a retry. */
#include "report_words.h"

TEST(time_off_the_processor_is_told_apart)
{
	recording_sample(&writer);
	written_entry(1)->descheduled_ns = 3000000;
	struct stmlog_thread_record *threads = written_threads();
	threads[1].descheduled_ns = 3000000;
	threads[1].descheduled = 2;
	threads[1].outside_ns -= 3000000;
	expect_words(
		plain, (const char *[]){"\ndescheduled    3.0 ms    0.1 %       2           1\n", "\nresidual 0 ns\n",
			       "\n     in all      4.0 ms, of that descheduled: 3.0 ms (not counted as lost)\n", NULL});
	recording_sample_weighed(&writer);
	written_entry(1)->descheduled_ns = 3000000;
	expect_words(plain, (const char *[]){" in all      ~ 19.0 ms, of that descheduled: 3.0 ms (", NULL});
	recording_sample(&writer);
	OWNED(owned_free) char *text = text_of(plain);
	assert_null(strstr(text, "of that"));
}

TEST(it_is_said_where_time_off_the_processor_is_not_known)
{
	recording_sample(&writer);
	writer_info(&writer, "descheduled_known=0");
	expect_words(plain, (const char *[]){"\ndescheduled  not known\n", NULL});
}

static void write_blocked(void)
{
	recording_sample(&writer);
	struct stmlog_thread_record *threads = written_threads();
	threads[1].blocked_ns = threads[1].estimated_blocked_ns = 3000000;
	threads[1].outside_ns -= 3000000;
	threads[1].blocked = 2;
	threads[1].blocked_in_vain = 1;
	threads[1].blocked_unattached = 5;
	threads[1].blocked_unattached_ns = 7000000;
	writer_blocked(&writer, &(struct stmlog_blocked_record){.site = 0,
					.count = 7,
					.in_vain = 1,
					.blocked_ns = 10000000,
					.longest_ns = 2000000,
					.estimated_ns = 1e7});
}

TEST(blocked_transactions_have_a_row_a_column_and_a_table)
{
	write_blocked();
	expect_words(
		plain, (const char *[]){"\nblocked        3.0 ms    0.1 %       2           1\n", "\nresidual 0 ns\n",
			       "\nBlocked after a retry: 7 times, 1 in vain; no loss\n"
			       "of these by green threads: 5 times, 7.0 ms; no part of the account\n",
			       "10.0 ms      7        1   2.0 ms\n", "  aborted  blocked  outside", NULL});
}

TEST(without_the_place_of_the_write_its_transaction_has_woken_them)
{
	recording_sample(&writer);
	written_threads()[1].blocked_unattached = 9;
	uint32_t publish = writer_place(&writer, "publish", "news.c", 33),
		 same = writer_place(&writer, "publish", "news.c", 33),
		 other = writer_place(&writer, "release", "pool.c", 12);
	writer_blocked(&writer, &(struct stmlog_blocked_record){.site = 0,
					.count = 9,
					.wakes_known = 9,
					.wakers = {{other, 0, 4}, {publish, 0, 2}, {same, 0, 3}}});
	expect_words(plain, (const char *[]){"  woken by\n", "  news.c:33 publish\n", NULL});
}

TEST(spurious_wakes_are_told_apart_where_they_are_known)
{
	write_blocked();
	writer_info(&writer, "blocked_spurious=1");
	expect_words(plain, (const char *[]){": 7 times, 1 in vain, 1 of these spurious; no loss\n", NULL});
}
