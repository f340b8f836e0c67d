/* SPDX-License-Identifier: MIT
 * The report as a whole: what it shows, and what it leaves out. */
#include "report_words.h"

TEST(the_report_is_what_it_was)
{
	recording_sample(&writer);
	expect_golden(plain, "report.txt");
}

TEST(the_first_screen_is_what_it_was)
{
	recording_sample(&writer);
	struct report_options options = plain;
	options.is_brief = true;
	expect_golden(options, "report-brief.txt");
}

TEST(the_first_screen_counts_processes_and_names_their_programs)
{
	recording_sample_processes(&writer);
	struct report_options options = plain;
	options.is_brief = true;
	expect_words(options, (const char *[]){"   2 processes, 2 threads   ", "\n\nbank, audit\n", NULL});
}

TEST(a_method_that_is_none_is_called_so)
{
	static const char *const cases[][2] = {{"method=unknown", "): libitm, method unknown, 2 threads, "},
		{"method=mixed", "): libitm, method mixed, 2 threads, "},
		{"method=ml_wt", "): libitm ml_wt, 2 threads, "}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		recording_sample(&writer);
		writer_info(&writer, cases[i][0]);
		expect_words(plain, (const char *const[]){cases[i][1], NULL});
	}
}

/* Nobody says which of the two it was. */
TEST(a_conflict_over_data_is_called_that)
{
	recording_sample(&writer);
	writer_entry(&writer, &(struct stmlog_entry_record){.reason = STMLOG_SELF_ABORT,
				      .contention = STMLOG_DATA,
				      .detail = writer_string(&writer, "CHANGED"),
				      .count = 1,
				      .lost_ns = 100000000});
	struct report_options options = plain;
	options.by = REPORT_BY_CAUSE;
	options.top = REPORT_ALL;
	expect_words(options, (const char *const[]){"\nself-abort        data ", NULL});
	recording_sample(&writer);
	writer_entry(&writer, &(struct stmlog_entry_record){.reason = STMLOG_SELF_ABORT,
				      .contention = STMLOG_DATA,
				      .detail = writer_string(&writer, "CHANGED"),
				      .count = 1,
				      .lost_ns = 100000000});
	options.by = REPORT_BY_ENTRY;
	expect_words(options, (const char *const[]){"   self-abort, data, CHANGED\n", NULL});
}

TEST(the_full_report_has_all_frames_and_whole_paths)
{
	recording_sample(&writer);
	struct report_options options = plain;
	options.is_full = true;
	expect_golden(options, "report-full.txt");
}

TEST(sorting_and_top_choose_what_is_shown)
{
	recording_sample(&writer);
	struct report_options options = {.top = 1, .sort = TALLY_LONGEST};
	expect_words(options, (const char *[]){"Longest: the 1 shown cover 16.8 %", " 1.  1.0 ms", NULL});
	recording_sample(&writer);
	options = (struct report_options){.top = 2, .sort = TALLY_COUNT};
	expect_words(options, (const char *[]){"Most frequent: the 2 shown cover 84.0 %", " 2.  1.0 ms", NULL});
	recording_sample(&writer);
	options = (struct report_options){.top = 0};
	expect_words(options, (const char *[]){"Costliest: the 0 shown cover 0.0 %", NULL});
}

TEST(a_run_that_lost_nothing_gets_one_line_besides_the_sums)
{
	writer_init(&writer);
	writer_info(&writer, "program=/bin/quiet");
	writer_info(&writer, "wall_ns=1000");
	struct stmlog_thread_record thread = {
		.id = 1, .attached_ns = 900, .outside_ns = 200, .committed_ns = 700, .commits = 2};
	writer_thread(&writer, &thread);
	expect_golden(plain, "report-nothing-lost.txt");
}

TEST(a_recording_of_nothing_is_one_line)
{
	writer_init(&writer);
	OWNED(owned_free) char *text = text_of(plain);
	assert_string_equal(text, "stmlog: a program (pid 0): unknown runtime, 0 threads, 0 ns, clock unknown: "
				  "nothing was recorded\n");
}

TEST(losses_of_the_log_itself_are_said)
{
	recording_sample(&writer);
	writer_info(&writer, "events_missing=3");
	writer_info(&writer, "tracebacks_unavailable=0");
	writer_info(&writer, "writes_unrecorded=0");
	writer_info(&writer, "threads_dropped=1000");
	writer_info(&writer, "misuses=2");
	writer_info(&writer, "logs_unread=1");
	expect_words(plain,
		(const char *[]){"not recorded - events missing: 3, threads without a record of their own: 1,000, "
				 "calls refused as the caller's mistakes: 2, "
				 "logs of threads that could not be read: 1\n",
			"1,002 threads", NULL});
}

TEST(an_abort_that_nobody_caused_blames_nobody)
{
	for (uint32_t remote = 0; remote <= 1; remote++) {
		struct stmlog_thread_record thread = {.id = 1};
		struct stmlog_entry_record entry = {.count = 1,
			.lost_ns = 5,
			.reason = STMLOG_USER_ABORT,
			.contention = STMLOG_NONE,
			.remote = remote};
		writer_init(&writer);
		writer_thread(&writer, &thread);
		writer_entry(&writer, &entry);
		writer_total(&writer, STMLOG_USER_ABORT, STMLOG_NONE, 1, 5);
		OWNED(owned_free) char *text = text_of(plain);
		assert_non_null(strstr(text, "user-abort, none"));
		assert_null(strstr(text, "blocked by"));
		assert_null(strstr(text, "for nothing"));
	}
}

TEST(an_abort_of_unknown_cause_is_not_one_without_another_transaction)
{
	static const char *const words[] = {"blocked by  unknown: the runtime gave no cause\n",
		"blocked by  nobody: no other transaction was in its way\n"};
	for (uint32_t remote = 0; remote <= 1; remote++) {
		struct stmlog_entry_record entry = {.count = 1,
			.lost_ns = 5,
			.reason = STMLOG_SELF_ABORT,
			.contention = STMLOG_NONE,
			.remote = remote};
		writer_init(&writer);
		writer_thread(&writer, &(struct stmlog_thread_record){.id = 1});
		writer_entry(&writer, &entry);
		writer_total(&writer, STMLOG_SELF_ABORT, STMLOG_NONE, 1, 5);
		expect_words(plain, (const char *[]){words[remote], NULL});
	}
}

TEST(names_cannot_steer_the_terminal)
{
	recording_sample(&writer);
	writer_info(&writer, "arg=\033[2J");
	writer_info(&writer, "runtime=\377\n");
	uint32_t bad = writer_place(&writer, "f\rg", "x\ty.c", 1);
	uint32_t traceback = writer_traceback(&writer, &bad, 1, 0);
	writer_entry(&writer, &(struct stmlog_entry_record){.local = traceback, .count = 1});
	expect_words(
		(struct report_options){.top = 6}, (const char *[]){"?[2J", "\xef\xbf\xbd?", "x?y.c:1  f?g", NULL});
}

TEST(many_threads_are_cut_at_a_glance_unless_full)
{
	for (int full = 0; full <= 1; full++) {
		writer_init(&writer);
		for (uint32_t id = 1; id <= 17; id++)
			writer_thread(&writer, &(struct stmlog_thread_record){.id = id, .commits = 5000 + id});
		struct report_options options = {.is_full = full != 0};
		expect_words(options, full != 0 ? (const char *[]){"5,017", NULL}
						: (const char *[]){"5,016", "... 1 more (--full)", NULL});
	}
}

/* ---- tracebacks ---- */

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

/* ---- labels of data: table by table, and as the names of objects ---- */

static const struct report_options full = {.top = 2, .is_full = true};

static void write_label(const char *text, uint64_t count, uint64_t ns)
{
	struct stmlog_label_record label = {.count = count, .estimated_ns = ns};
	strcpy(label.text, text);
	writer_label(&writer, &label);
}

TEST(without_labels_there_is_no_table)
{
	recording_sample(&writer);
	OWNED(owned_free) char *text = text_of(full);
	assert_null(strstr(text, "Labels"));
}

/* The costliest table comes first, whatever the order of the file. */
TEST(labels_that_differ_in_numbers_are_a_table)
{
	recording_sample(&writer);
	write_label("queue", 7, 1000);
	write_label("account 3", 1, 300000);
	write_label("account 17", 9, 610000);
	write_label("account 4", 2, 90000);
	expect_words(full, (const char *[]){"\nLabels: account\n"
					    "label        share      lost  count\n"
					    "account 17  61.0 %  610.0 us      9\n"
					    "account 3   30.0 %  300.0 us      1\n"
					    "... 1 more (--top=N)\n"
					    "\nLabels: queue\n"
					    "label    share    lost  count\n"
					    "queue  100.0 %  1.0 us      7\n",
				   NULL});
}

TEST(only_a_full_report_has_the_table)
{
	recording_sample(&writer);
	write_label("account 3", 1, 300000);
	OWNED(owned_free) char *text = text_of(plain);
	assert_null(strstr(text, "Labels"));
}

TEST(digits_within_a_label_and_alone_are_left_out)
{
	recording_sample(&writer);
	write_label("row 1, column 2", 1, 10);
	write_label("row 12, column 1", 1, 30);
	write_label("17", 1, 5);
	expect_words(full, (const char *[]){"\nLabels: row , column\n", "\nrow 12, column 1  75.0 %", "\nLabels: \n",
				   "\n17     100.0 %", NULL});
}

TEST(losses_without_any_time_have_no_share)
{
	recording_sample(&writer);
	write_label("account 3", 1, 0);
	expect_words(full, (const char *[]){"\nlabel      count\naccount 3      1\n", NULL});
}

TEST(a_label_is_printable)
{
	recording_sample(&writer);
	write_label("\033[31mred", 1, 10);
	expect_words(full, (const char *[]){"\n?[31mred  100.0 %", NULL});
}

TEST(the_other_object_of_a_false_conflict_has_its_label)
{
	recording_sample(&writer);
	struct stmlog_entry_record *entry = written_entry(0);
	entry->false_conflicts = entry->count;
	entry->objects[0].address = 4096;
	entry->object_others[0] = 4104;
	entry->object_names[0] = writer_string(&writer, "account 1");
	writer_label(&writer, &(struct stmlog_label_record){.address = 4104, .size = 8, .text = "account 2"});
	expect_words(plain, (const char *[]){"account 1 and account 2; pad or align", NULL});
}
