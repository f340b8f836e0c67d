/* SPDX-License-Identifier: MIT
 * Figures that are estimated, and those that are too few for it. */
#include "report_words.h"

TEST(sampled_figures_are_marked_as_estimates)
{
	struct report_options options = plain;
	recording_sample_weighed(&writer);
	expect_golden(plain, "report-sampled.txt");
	options.by = REPORT_BY_PAIR;
	recording_sample_weighed(&writer);
	expect_words(options, (const char *[]){"~ 64.0 ms (", NULL});
	options.by = REPORT_BY_CAUSE;
	recording_sample_weighed(&writer);
	expect_words(options, (const char *[]){"~ 64.0 ms (", NULL});
}

/* Below the list, in one line, however much they are estimated at. */
TEST(what_is_too_few_to_say_is_never_ranked)
{
	recording_sample_weighed(&writer);
	written_entry(4)->estimated_ns = 1e9;
	written_entry(4)->count = 9;
	char *text = text_of(plain);
	assert_non_null(strstr(text, "\n 1.  ~ 64.0 ms (61.3 - 66.8 ms)  67.2 %  2,000 times measured"));
	assert_non_null(strstr(text, "\n\ntoo few to say: 3 entries of under 10 measured losses each, at most ~ "));
	assert_null(strstr(text, "\n 3.  "));
	free(text);
	recording_sample_weighed(&writer);
	written_entry(4)->count = 10;
	expect_words(plain, (const char *[]){" 3.  ~ 800.0 us (209.1 us - 3.1 ms)  0.8 %  10 times measured",
				    "too few to say: 2 entries of", NULL});
}

/* The longest loss is measured, not estimated. */
TEST(the_longest_losses_are_listed_however_few_they_are)
{
	recording_sample_weighed(&writer);
	struct report_options options = {.top = REPORT_TOP_DEFAULT, .sort = TALLY_LONGEST};
	expect_words(options, (const char *[]){" 2.  too few to say  -  4 times measured, longest 60.0 us", NULL});
}

TEST(a_recording_of_few_losses_lists_none)
{
	recording_sample_weighed(&writer);
	for (size_t i = 0; i < 5; i++)
		written_entry(i)->count = 1;
	expect_words(plain, (const char *[]){"Costliest: the 0 shown cover 0.0 % of the time lost\n",
				    "\ntoo few to say: 5 entries of under 10 measured losses each, at most ~ ", NULL});
}

TEST(a_file_without_intervals_has_the_widest)
{
	recording_sample_weighed(&writer);
	struct stmlog_thread_record *threads = written_threads();
	for (size_t row = 0; row < STMLOG_ACCOUNT_DESCHEDULED; row++) {
		threads[0].row_doubt_ns[row] = threads[0].attached_ns;
		threads[1].row_doubt_ns[row] = threads[1].attached_ns;
	}
	expect_words(plain, (const char *[]){"committed      ~ 2.38 s   79.4 %", "  1.70 - 2.99 s  979,744 ", NULL});
}

TEST(pauses_and_waits_that_were_inferred_are_told_from_measured_ones)
{
	recording_sample(&writer);
	writer_info(&writer, "waits_estimated=1");
	expect_words(plain, (const char *[]){"\nestimated: times of pauses and waits, from how long",
				    "   pause, write-read", ", estimated", NULL});
	recording_sample(&writer);
	writer_info(&writer, "waits_estimated=0");
	OWNED(owned_free) char *text = text_of(plain);
	assert_null(strstr(text, "estimated"));
}
