/* SPDX-License-Identifier: MIT
 * Who aborts whom. */
#include "report_words.h"

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
