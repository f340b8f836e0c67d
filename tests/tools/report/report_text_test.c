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
