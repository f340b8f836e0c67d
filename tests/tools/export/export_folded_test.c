/* SPDX-License-Identifier: MIT
 * Losses as folded stacks. */
#include "exported.h"

static struct writer writer;

/* Ends the writer. */
static void expect(const char *expected)
{
	OWNED(owned_free) char *text = exported_text(&writer, "folded");
	assert_string_equal(text, expected);
}

TEST(a_line_has_victim_culprit_and_time)
{
	recording_sample(&writer);
	expect("libc.so.6+0x29d90;worker;transfer;--;unknown 4000000\n"
	       "(cut);libc.so.6+0x29d90;audit;--;transfer;worker;libc.so.6+0x29d90 1000000\n"
	       "(no frames);--;unknown 250000\n"
	       "libc.so.6+0x29d90;worker;transfer;--;audit;libc.so.6+0x29d90;(cut) 150000\n"
	       "libc.so.6+0x29d90;worker;transfer 50000\n"
	       "(evicted) 100000\n");
}

TEST(of_nothing_there_is_no_line)
{
	writer_init(&writer);
	expect("");
}

TEST(what_was_evicted_is_a_line)
{
	writer_init(&writer);
	writer_total(&writer, STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, 3, 500);
	writer_total(&writer, UINT32_MAX, UINT32_MAX, 3, 500);
	expect("(evicted) 500\n");
}

TEST(names_of_any_bytes_are_one_frame_of_one_line)
{
	writer_init(&writer);
	uint32_t sites[] = {
		writer_place(&writer, "a;b\nc \x01\xff", "", 0), writer_place(&writer, "std::map<int, x>", "", 0)};
	uint32_t traceback = writer_traceback(&writer, sites, 2, 0);
	writer_entry(&writer, &(struct stmlog_entry_record){.count = 1, .lost_ns = 7, .local = traceback});
	expect("std::map<int, x>;a:b?c ?\xef\xbf\xbd;--;unknown 7\n");
}

/* ---- all time ---- */

static char *folded_of(enum export_of of)
{
	size_t len = 0;
	return exported_of(&writer, "folded", of, &len);
}

/* The row of the specification: "fble: output of all time: the tree of calls, committed time included". */
TEST(fble_folded_has_all_time_by_folded_path)
{
	recording_sample(&writer);
	write_paths(&writer);
	OWNED(owned_free) char *text = folded_of(EXPORT_OF_TIME);
	assert_string_equal(text, "(root) 1207\nmain 1204\nmain;audit 1235\nmain;leaf 1206\n(overflow) 1208\n");
}

TEST(folded_has_losses_unless_time_is_asked_for)
{
	recording_sample(&writer);
	OWNED(owned_free) char *losses = exported_text(&writer, "folded");
	for (enum export_of of = EXPORT_OF_ANY; of <= EXPORT_OF_LOSS; of++) {
		recording_sample(&writer);
		write_paths(&writer);
		OWNED(owned_free) char *text = folded_of(of);
		assert_string_equal(text, losses);
	}
}
