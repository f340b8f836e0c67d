/* SPDX-License-Identifier: MIT
 * How much of a traceback is shown, and of the names in it. */
#include "report_words.h"

TEST(a_long_traceback_is_cut_at_a_glance_unless_full)
{
	uint32_t sites[7];
	recording_sample(&writer);
	for (uint32_t i = 0; i < 7; i++)
		sites[i] = writer_place(&writer, "deep", "a/deep.c", i + 1);
	uint32_t deep = writer_traceback(&writer, sites, 7, 0);
	writer_entry(
		&writer, &(struct stmlog_entry_record){
				 .local = deep, .count = 1, .reason = STMLOG_USER_ABORT, .contention = STMLOG_NONE});
	OWNED(recording_fini) struct recording recording;
	struct report_options options = {.top = 6};
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	char *text = printed_report(&recording, options, report_text);
	assert_non_null(strstr(text, "deep.c:5  deep\n                 ... 2 more\n"));
	assert_null(strstr(text, "deep.c:6"));
	free(text);
	options.is_full = true;
	text = printed_report(&recording, options, report_text);
	assert_non_null(strstr(text, "a/deep.c:7  deep\n"));
	free(text);
}

TEST(a_haskell_name_is_short_unless_the_report_is_full_and_whole_in_json)
{
	recording_sample(&writer);
	uint32_t sites[] = {
		writer_place(&writer, "stm-2.5.0.0:Control.Concurrent.STM.TBQueue.readTBQueue", "src/TBQueue.hs", 7),
		writer_place(&writer, "Main.serve.go", "Main.hs", 19), writer_place(&writer, "Old.Store.get", "", 0),
		writer_place(&writer, "New.Store.get", "", 0)};
	writer_entry(&writer, &(struct stmlog_entry_record){.local = writer_traceback(&writer, sites, 4, 0),
				      .count = 1,
				      .reason = STMLOG_USER_ABORT,
				      .contention = STMLOG_NONE});
	OWNED(recording_fini) struct recording recording;
	struct report_options options = {.top = 6};
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	char *text = printed_report(&recording, options, report_text);
	assert_non_null(strstr(text, " TBQueue.hs:7  TBQueue.readTBQueue\n"));
	assert_non_null(strstr(text, " Main.hs:19    serve.go\n"));
	assert_non_null(strstr(text, "Old.Store.get"));
	assert_non_null(strstr(text, "New.Store.get"));
	free(text);
	options.is_full = true;
	text = printed_report(&recording, options, report_text);
	assert_non_null(strstr(text, " src/TBQueue.hs:7  stm-2.5.0.0:Control.Concurrent.STM.TBQueue.readTBQueue\n"));
	assert_non_null(strstr(text, " Main.hs:19        Main.serve.go\n"));
	free(text);
	OWNED(owned_free) char *json = printed_report(&recording, (struct report_options){.top = 6}, report_json);
	assert_non_null(strstr(json, "\"stm-2.5.0.0:Control.Concurrent.STM.TBQueue.readTBQueue\""));
}

/* 300 entries of 4,000 frames are more than all entries together may have. */
TEST(it_is_said_how_much_of_a_traceback_is_left_out)
{
	enum { ENTRIES = 300, DEEP = 4000 };
	static uint32_t sites[DEEP];
	recording_sample(&writer);
	for (uint32_t i = 0; i < DEEP; i++)
		sites[i] = writer_place(&writer, "deep", "deep.c", i + 1);
	uint32_t deep = writer_traceback(&writer, sites, DEEP, 0);
	for (uint32_t i = 0; i < ENTRIES; i++)
		writer_entry(&writer, &(struct stmlog_entry_record){.local = deep,
					      .count = 1,
					      .local_thread = i,
					      .reason = STMLOG_USER_ABORT,
					      .contention = STMLOG_NONE});
	OWNED(recording_fini) struct recording recording;
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	OWNED(owned_free)
	char *text = printed_report(&recording, (struct report_options){.top = 6, .is_full = true}, report_text);
	OWNED(owned_free) char *json = printed_report(&recording, (struct report_options){.top = 6}, report_json);
	assert_non_null(strstr(text, "left out - frames beyond the innermost 1,71"));
	assert_non_null(strstr(text, "... 2,28"));
	assert_non_null(strstr(text, " more, left out\n"));
	assert_non_null(strstr(json, "\"left_out\": 228"));
}
