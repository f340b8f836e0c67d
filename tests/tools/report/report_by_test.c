/* SPDX-License-Identifier: MIT
 * A line per cause, place, object or thread, and how many of them. */
#include "report_words.h"

TEST(by_cause_there_is_a_line_per_cause)
{
	recording_sample(&writer);
	struct report_options options = plain;
	options.by = REPORT_BY_CAUSE;
	expect_golden(options, "report-by-cause.txt");
}

/* A transfer that began at one site and another of its name, and transactions of unknown sites. */
static void write_transactions(void)
{
	uint32_t sites[] = {writer_place(&writer, "transfer", "bench/bank.c", 55),
		writer_place(&writer, "transfer", "bench/bank.c", 55), STMLOG_NO_SITE};
	for (size_t i = 0; i < 3; i++) {
		struct stmlog_transaction_record record = {
			.site = sites[i],
			.commits = 100,
			.attempts = 150,
			.lost_ns = 1000 * (3 - i),
			.max_attempts = 30,
			.longest_ns = 900 + i,
			.by_attempts = {[1] = 90, [2] = 9, [16] = 1},
			.by_lost_ns = {[0] = 90, [17] = 9, [33] = 1},
		};
		writer_transaction(&writer, &record);
	}
}

TEST(by_site_there_is_a_line_per_place_and_per_kind_of_transaction)
{
	recording_sample(&writer);
	write_transactions();
	expect_golden((struct report_options){.by = REPORT_BY_SITE, .top = REPORT_TOP_DEFAULT}, "report-by-site.txt");
}

TEST(by_object_and_by_thread_there_is_a_line_for_each)
{
	recording_sample(&writer);
	expect_golden((struct report_options){.by = REPORT_BY_OBJECT, .top = REPORT_ALL}, "report-by-object.txt");
	recording_sample(&writer);
	expect_golden((struct report_options){.by = REPORT_BY_THREAD, .top = REPORT_ALL}, "report-by-thread.txt");
}

TEST(transactions_are_listed_in_full_and_said_to_be_those_measured)
{
	recording_sample_weighed(&writer);
	write_transactions();
	expect_words((struct report_options){.is_full = true, .top = 1},
		(const char *[]){
			"\nTransactions: attempts until one commits, and the time of those that fail, of those "
			"measured;",
			"... 1 more (--top=N)\n\nThreads", NULL});
	recording_sample(&writer);
	write_transactions();
	OWNED(owned_free) char *text = text_of(plain);
	assert_null(strstr(text, "Transactions"));
}

TEST(transactions_that_were_only_timed_are_not_listed_among_those_measured)
{
	recording_sample_weighed(&writer);
	write_transactions();
	struct stmlog_transaction_record timed = {
		.site = writer_place(&writer, "only_timed", "bench/bank.c", 99), .estimated_committed_ns = 1000};
	writer_transaction(&writer, &timed);
	OWNED(owned_free) char *text = text_of((struct report_options){.is_full = true, .top = REPORT_ALL});
	assert_non_null(strstr(text, "transfer  "));
	assert_null(strstr(text, "only_timed"));
}

TEST(top_and_sort_choose_of_sites_objects_and_threads)
{
	static const enum report_by by[] = {REPORT_BY_SITE, REPORT_BY_OBJECT, REPORT_BY_THREAD};
	static const char *const first[] = {"\nbank.c:85 audit ", "\nunknown ", "\n 2  aud\xc3\xaft  "};
	static const char *const rest[] = {"... 3 more (--top=N)", "... 3 more (--top=N)", "... 1 more (--top=N)"};
	for (size_t i = 0; i < 3; i++) {
		recording_sample(&writer);
		struct report_options options = {.by = by[i], .sort = TALLY_LONGEST, .top = 1};
		expect_words(options, (const char *[]){first[i], rest[i], NULL});
	}
}
