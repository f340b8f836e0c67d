/* SPDX-License-Identifier: MIT
 * Tables of losses: a line per cause, place, pair of places, object or thread, and how many of them. */
#include "report_words.h"

TEST(by_cause_there_is_a_line_per_cause)
{
	recording_sample(&writer);
	struct report_options options = plain;
	options.by = REPORT_BY_CAUSE;
	expect_golden(options, "report-by-cause.txt");
}

TEST(by_site_there_is_a_line_per_place)
{
	recording_sample(&writer);
	expect_golden((struct report_options){.by = REPORT_BY_SITE, .top = REPORT_TOP_DEFAULT}, "report-by-site.txt");
}

TEST(by_object_and_by_thread_there_is_a_line_for_each)
{
	recording_sample(&writer);
	expect_golden((struct report_options){.by = REPORT_BY_OBJECT, .top = REPORT_ALL}, "report-by-object.txt");
	recording_sample(&writer);
	expect_golden((struct report_options){.by = REPORT_BY_THREAD, .top = REPORT_ALL}, "report-by-thread.txt");
}

TEST(by_process_there_is_a_line_for_each_the_costliest_first)
{
	struct report_options options = {.by = REPORT_BY_PROCESS, .top = REPORT_ALL};
	recording_sample_processes(&writer);
	expect_golden(options, "report-by-process.txt");
	recording_sample(&writer);
	expect_words(options, (const char *[]){"Processes: 1 of 1, the costliest first\n", "\n4711  bank ", NULL});
	recording_sample_processes(&writer);
	options.top = 1;
	expect_words(options, (const char *[]){"Processes: 1 of 2,", "\n4711  bank ", "... 1 more (--top=N)", NULL});
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

/* ---- who aborts whom ---- */

TEST(by_pair_there_is_a_line_per_pair)
{
	recording_sample(&writer);
	struct report_options options = plain;
	options.by = REPORT_BY_PAIR;
	expect_golden(options, "report-by-pair.txt");
}

/* Seven places that lost to one; each 1 us less than the one before, and 7 more in the entry behind. */
static void write_seven(void)
{
	recording_sample(&writer);
	writer.sections[STMLOG_SECTION_ENTRIES].len = 0;
	uint32_t site = writer_place(&writer, "other", "a.c", 1);
	uint32_t remote = writer_traceback(&writer, &site, 1, 0);
	for (uint32_t i = 0; i < 7; i++) {
		site = writer_place(&writer, "seven", "a.c", i + 1);
		struct stmlog_entry_record entry = {
			.local = writer_traceback(&writer, &site, 1, 0),
			.remote = remote,
			.count = 1 + 7 * i,
			.lost_ns = 10000 - 1000 * i,
		};
		writer_entry(&writer, &entry);
	}
}

TEST(by_pair_sort_and_top_choose_too)
{
	write_seven();
	struct report_options options = {.by = REPORT_BY_PAIR, .top = 2, .sort = TALLY_COUNT};
	expect_words(options, (const char *[]){"Who aborts whom: the 2 shown", "a.c:7 seven", "a.c:6 seven",
				      "... 5 more (--top=N)", NULL});
	write_seven();
	OWNED(owned_free) char *text = text_of(options);
	assert_null(strstr(text, "a.c:5 seven"));
}
