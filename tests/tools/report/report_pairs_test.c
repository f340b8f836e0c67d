/* SPDX-License-Identifier: MIT
 * Who aborts whom: behind the entries, and in full. */
#include "report_words.h"

TEST(by_pair_there_is_a_line_per_pair_and_per_aggressor)
{
	recording_sample(&writer);
	struct report_options options = plain;
	options.by = REPORT_BY_PAIR;
	expect_golden(options, "report-by-pair.txt");
}

/* Seven places that lost to one; each 1 us less than the one before, and 7 more in the entry behind. */
static void write_seven(const char *culprit)
{
	recording_sample(&writer);
	writer.sections[STMLOG_SECTION_ENTRIES].len = 0;
	uint32_t site = writer_place(&writer, culprit, "a.c", 1);
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

TEST(behind_the_entries_there_are_the_few_pairs_that_cost_max)
{
	write_seven("other");
	expect_words(plain,
		(const char *[]){"\nWho aborts whom\n  a.c:1 seven  lost 10.0 us (0.2 %) 1 time to  a.c:1 other\n"
				 "  a.c:2 seven  lost 9.0 us",
			"a.c:5 seven  lost 6.0 us (0.1 %) 29 times to  a.c:1 other\n... 2 more (--by=pair)\n", NULL});
	write_seven("other");
	struct report_options two = {.top = 2, .sort = TALLY_COUNT};
	expect_words(
		two, (const char *[]){"a.c:2 seven  lost 9.0 us (0.2 %) 8 times to  a.c:1 other\n... 5 more", NULL});
	write_seven("other");
	OWNED(owned_free) char *text = text_of((struct report_options){.top = 0});
	assert_null(strstr(text, "Who aborts whom"));
}

TEST(a_pair_that_is_too_long_for_a_line_gets_two)
{
	static const char longest[] = "an_other_function_of_29_bytes";
	char two_lines[128];
	/* 80 columns: 2, 11, 2, "lost 10.0 us (0.2 %) 1 time to", 2 and the rest. */
	write_seven(longest);
	snprintf(two_lines, sizeof two_lines, "  a.c:1 seven  lost 10.0 us (0.2 %%) 1 time to  a.c:1 %s\n", longest);
	assert_int_equal(strlen(two_lines), 80 + 1 + 2);
	snprintf(two_lines, sizeof two_lines, "  a.c:1 seven\n      lost 10.0 us (0.2 %%) 1 time to  a.c:1 %s\n",
		longest);
	expect_words(plain, (const char *[]){two_lines, NULL});
	write_seven(longest + 2);
	expect_words(plain,
		(const char *[]){
			"  a.c:1 seven  lost 10.0 us (0.2 %) 1 time to  a.c:1 _other_function_of_29_bytes", NULL});
}

TEST(by_pair_sort_and_top_choose_too)
{
	write_seven("other");
	struct report_options options = {.by = REPORT_BY_PAIR, .top = 2, .sort = TALLY_COUNT};
	expect_words(options, (const char *[]){"Who aborts whom: the 2 shown", "a.c:7 seven", "a.c:6 seven",
				      "... 5 more (--top=N)", "a.c:1 other        7  49.0 us", NULL});
	write_seven("other");
	OWNED(owned_free) char *text = text_of(options);
	assert_null(strstr(text, "a.c:5 seven"));
}
