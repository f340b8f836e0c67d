/* SPDX-License-Identifier: MIT */
#include "loaded.h"

#include <stmlog/stmlog.h>

#include "built_module.h"
#include "golden.h"
#include "recording_sample.h"
#include "temp_dir.h"

static struct writer writer;

static const struct report_options plain = {.top = REPORT_TOP_DEFAULT};

/* The text of what the writer holds; the caller frees it. */
static char *text_of(struct report_options options)
{
	struct recording recording;
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	char *text = printed_report(&recording, options, report_text);
	recording_fini(&recording);
	return text;
}

static void expect_golden(struct report_options options, const char *name)
{
	char *text = text_of(options);
	golden_check(name, text);
	free(text);
}

static void expect_words(struct report_options options, const char *const *words)
{
	char *text = text_of(options);
	for (; *words != NULL; words++) {
		if (strstr(text, *words) == NULL)
			fail_msg("\"%s\" is not in:\n%s", *words, text);
	}
	free(text);
}

static void the_report_is_what_it_was(void **state)
{
	(void)state;
	recording_sample(&writer);
	expect_golden(plain, "report.txt");
}

static void hardware_transactions_have_a_line(void **state)
{
	(void)state;
	recording_sample_hardware(&writer);
	expect_words(plain,
		(const char *const[]){"(pid 4711): libitm htm, 2 threads on 2 processors, 2.00 s, clock monotonic\n",
			"\nhardware: 70,000 attempts, aborted 2,052 (conflict 1,500, lock held 400, capacity 100, "
			"unfriendly 52), fallbacks 612 = 1.0 % of transactions\n",
			NULL});
}

static void hardware_that_did_nothing_has_done_nothing(void **state)
{
	(void)state;
	writer_init(&writer);
	writer_info(&writer, "hardware_attempts=0");
	writer_info(&writer, "processors=1");
	writer_thread(&writer, &(struct stmlog_thread_record){.id = 1});
	writer_total(&writer, UINT32_MAX, UINT32_MAX, 0, 0);
	expect_words(plain, (const char *const[]){"1 thread on 1 processor, ",
				    "\nhardware: 0 attempts, aborted 0, fallbacks 0\n", NULL});
}

/* Nothing is called exact there. */
static void hardware_that_nobody_has_counted_is_missing(void **state)
{
	(void)state;
	recording_sample(&writer);
	writer_info(&writer, "counters_known=1");
	expect_words(
		plain, (const char *const[]){"\ncounts of commits and aborts are exact, of all transactions\n", NULL});
	recording_sample(&writer);
	writer_info(&writer, "counters_known=1");
	writer_info(&writer, "method=htm");
	char *text = text_of(plain);
	assert_non_null(strstr(text, "\naborts of hardware transactions are missing, and their time is among that "
				     "committed: nobody has seen them\n"));
	assert_null(strstr(text, "exact"));
	assert_null(strstr(text, "hardware: "));
	free(text);
	recording_sample(&writer);
	writer_info(&writer, "passive=1");
	writer_info(&writer, "method=htm");
	expect_words(
		plain, (const char *const[]){"\naborts of hardware transactions are missing: they leave no counts in "
					     "libitm\n",
			       NULL});
}

static void a_method_that_is_none_is_called_so(void **state)
{
	static const char *const cases[][2] = {{"method=unknown", "): libitm, method unknown, 2 threads, "},
		{"method=mixed", "): libitm, method mixed, 2 threads, "},
		{"method=ml_wt", "): libitm ml_wt, 2 threads, "}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		recording_sample(&writer);
		writer_info(&writer, cases[i][0]);
		expect_words(plain, (const char *const[]){cases[i][1], NULL});
	}
}

/* Nobody says which of the two it was. */
static void a_conflict_over_data_is_called_that(void **state)
{
	(void)state;
	recording_sample(&writer);
	writer_entry(&writer, &(struct stmlog_entry_record){.reason = STMLOG_SELF_ABORT,
				      .contention = STMLOG_DATA,
				      .detail = writer_string(&writer, "HTM_CONFLICT"),
				      .count = 1,
				      .lost_ns = 100000000});
	struct report_options options = plain;
	options.by = REPORT_BY_CAUSE;
	options.top = REPORT_ALL;
	expect_words(options, (const char *const[]){"\nself-abort        data ", NULL});
	recording_sample(&writer);
	writer_entry(&writer, &(struct stmlog_entry_record){.reason = STMLOG_SELF_ABORT,
				      .contention = STMLOG_DATA,
				      .detail = writer_string(&writer, "HTM_CONFLICT"),
				      .count = 1,
				      .lost_ns = 100000000});
	options.by = REPORT_BY_ENTRY;
	expect_words(options, (const char *const[]){"   self-abort, data, HTM_CONFLICT\n", NULL});
}

/* A module of the test's own making, in which a place loses nearly all its attempts for no reason of the hardware's. */
static void lazy_binding_is_suspected_where_it_may_be(void **state)
{
	const char *path = temp_dir_path(state, "lazy.so");
	built_module(path, "extern void free(void *); void drop(void *p) { free(p); }", "-Wl,-z,lazy");
	for (int bind_now = 0; bind_now < 2; bind_now++) {
		recording_sample_hardware(&writer);
		writer_info(&writer, bind_now ? "bind_now=1" : "bind_now=0");
		struct stmlog_module_record module = {.start = 16, .end = 4096, .path = writer_string(&writer, path)};
		struct stmlog_site_record site = {
			.kind = STMLOG_SITE_PLACE, .module = writer_module(&writer, &module), .code = 1, .line = 33};
		site.function = writer_string(&writer, "drop");
		site.file = writer_string(&writer, "src/list.c");
		uint32_t where = writer_traceback(&writer, (uint32_t[]){writer_site(&writer, &site)}, 1, 0);
		writer_entry(&writer, &(struct stmlog_entry_record){.reason = STMLOG_SELF_ABORT,
					      .contention = STMLOG_NONE,
					      .detail = writer_string(&writer, "HTM_UNFRIENDLY"),
					      .local = where,
					      .count = 39,
					      .lost_ns = 1});
		writer_entry(&writer, &(struct stmlog_entry_record){.reason = STMLOG_SELF_ABORT,
					      .contention = STMLOG_DATA,
					      .detail = writer_string(&writer, "HTM_CONFLICT"),
					      .local = where,
					      .count = 1,
					      .lost_ns = 1});
		char *text = text_of(plain);
		const char *hint = strstr(text, "\nhint: 97.5 % of the aborts at list.c:33 drop are of a kind that");
		assert_true((hint != NULL) == (bind_now == 0));
		assert_true((strstr(text, "LD_BIND_NOW=1\n") != NULL) == (bind_now == 0));
		/* The finding needs a tenth of the hardware's aborts. */
		assert_true((strstr(text, "maybe lazy binding (98 % of HTM aborts): list.c:33 drop\n") != NULL) ==
			    (bind_now == 0));
		free(text);
	}
}

static void the_full_report_has_all_frames_and_whole_paths(void **state)
{
	(void)state;
	recording_sample(&writer);
	struct report_options options = plain;
	options.is_full = true;
	expect_golden(options, "report-full.txt");
}

static void by_cause_there_is_a_line_per_cause(void **state)
{
	(void)state;
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
			.most_attempts = 30,
			.longest_ns = 900 + i,
			.by_attempts = {[1] = 90, [2] = 9, [16] = 1},
			.by_lost_ns = {[0] = 90, [17] = 9, [33] = 1},
		};
		writer_transaction(&writer, &record);
	}
}

static void by_site_there_is_a_line_per_place_and_per_kind_of_transaction(void **state)
{
	(void)state;
	recording_sample(&writer);
	write_transactions();
	expect_golden((struct report_options){.by = REPORT_BY_SITE, .top = REPORT_TOP_DEFAULT}, "report-by-site.txt");
}

static void by_object_and_by_thread_there_is_a_line_for_each(void **state)
{
	(void)state;
	recording_sample(&writer);
	expect_golden((struct report_options){.by = REPORT_BY_OBJECT, .top = REPORT_ALL}, "report-by-object.txt");
	recording_sample(&writer);
	expect_golden((struct report_options){.by = REPORT_BY_THREAD, .top = REPORT_ALL}, "report-by-thread.txt");
}

static void transactions_are_listed_in_full_and_said_to_be_those_measured(void **state)
{
	(void)state;
	recording_sample_weighed(&writer);
	write_transactions();
	expect_words((struct report_options){.is_full = true, .top = 1},
		(const char *[]){
			"\nTransactions: attempts until one commits, and time that each loses before, of those "
			"measured;",
			"... 1 more (--top=N)\n\nThreads", NULL});
	recording_sample(&writer);
	write_transactions();
	char *text = text_of(plain);
	assert_null(strstr(text, "Transactions"));
	free(text);
}

static void top_and_sort_choose_of_sites_objects_and_threads(void **state)
{
	(void)state;
	static const enum report_by by[] = {REPORT_BY_SITE, REPORT_BY_OBJECT, REPORT_BY_THREAD};
	static const char *const first[] = {"\nbank.c:85 audit ", "\nunknown ", "\n 2  aud\\xc3\\xaft  "};
	static const char *const rest[] = {"... 3 more (--top=N)", "... 3 more (--top=N)", "... 1 more (--top=N)"};
	for (size_t i = 0; i < 3; i++) {
		recording_sample(&writer);
		struct report_options options = {.by = by[i], .sort = TALLY_LONGEST, .top = 1};
		expect_words(options, (const char *[]){first[i], rest[i], NULL});
	}
}

static void by_pair_there_is_a_line_per_pair_and_per_aggressor(void **state)
{
	(void)state;
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

static void behind_the_entries_there_are_the_few_pairs_that_cost_most(void **state)
{
	(void)state;
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
	char *text = text_of((struct report_options){.top = 0});
	assert_null(strstr(text, "Who aborts whom"));
	free(text);
}

static void a_pair_that_is_too_long_for_a_line_gets_two(void **state)
{
	(void)state;
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

static void by_pair_sort_and_top_choose_too(void **state)
{
	(void)state;
	write_seven("other");
	struct report_options options = {.by = REPORT_BY_PAIR, .top = 2, .sort = TALLY_COUNT};
	expect_words(options, (const char *[]){"Who aborts whom: the 2 shown", "a.c:7 seven", "a.c:6 seven",
				      "... 5 more (--top=N)", "a.c:1 other        7  49.0 us", NULL});
	write_seven("other");
	char *text = text_of(options);
	assert_null(strstr(text, "a.c:5 seven"));
	free(text);
}

static void sorting_and_top_choose_what_is_shown(void **state)
{
	(void)state;
	recording_sample(&writer);
	struct report_options options = {.top = 1, .sort = TALLY_LONGEST};
	expect_words(options, (const char *[]){"Longest: the 1 shown cover 18.0 %", " 1.  1.0 ms", NULL});
	recording_sample(&writer);
	options = (struct report_options){.top = 2, .sort = TALLY_COUNT};
	expect_words(options, (const char *[]){"Most frequent: the 2 shown cover 90.1 %", " 2.  1.0 ms", NULL});
	recording_sample(&writer);
	options = (struct report_options){.top = 0};
	expect_words(options, (const char *[]){"Costliest: the 0 shown cover 0.0 %", NULL});
}

static void a_run_that_lost_nothing_gets_one_line_besides_the_sums(void **state)
{
	(void)state;
	writer_init(&writer);
	writer_info(&writer, "program=/bin/quiet");
	writer_info(&writer, "wall_ns=1000");
	struct stmlog_thread_record thread = {
		.id = 1, .attached_ns = 900, .outside_ns = 200, .committed_ns = 700, .commits = 2};
	writer_thread(&writer, &thread);
	writer_total(&writer, UINT32_MAX, UINT32_MAX, 0, 0);
	expect_golden(plain, "report-nothing-lost.txt");
}

static void a_recording_of_nothing_is_one_line(void **state)
{
	(void)state;
	writer_init(&writer);
	writer_total(&writer, UINT32_MAX, UINT32_MAX, 0, 0);
	char *text = text_of(plain);
	assert_string_equal(text, "stmlog: a program (pid 0): unknown runtime, 0 threads, 0 ns, clock unknown: "
				  "nothing was recorded\n");
	free(text);
}

static void sampled_figures_are_marked_as_estimates(void **state)
{
	(void)state;
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

/* Sets a member of an entry that the writer holds. */
static struct stmlog_entry_record *written_entry(size_t i)
{
	return (struct stmlog_entry_record *)(void *)writer.sections[STMLOG_SECTION_ENTRIES].bytes + i;
}

static void time_off_the_processor_is_told_apart(void **state)
{
	(void)state;
	recording_sample(&writer);
	written_entry(1)->descheduled_ns = 3000000;
	struct stmlog_thread_record *threads = (void *)writer.sections[STMLOG_SECTION_THREADS].bytes;
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
	char *text = text_of(plain);
	assert_null(strstr(text, "of that"));
	free(text);
}

static void blocked_transactions_have_a_row_a_column_and_a_table(void **state)
{
	(void)state;
	recording_sample(&writer);
	struct stmlog_thread_record *threads = (void *)writer.sections[STMLOG_SECTION_THREADS].bytes;
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
	expect_words(
		plain, (const char *[]){"\nblocked        3.0 ms    0.1 %       2           1\n", "\nresidual 0 ns\n",
			       "\nBlocked after a retry: 7 times, 1 in vain; no loss\n"
			       "of these by green threads: 5 times, 7.0 ms; no part of the account\n",
			       "10.0 ms      7        1   2.0 ms\n", "  aborted  blocked  outside", NULL});
}

static void it_is_said_where_time_off_the_processor_is_not_known(void **state)
{
	(void)state;
	recording_sample(&writer);
	writer_info(&writer, "descheduled_known=0");
	expect_words(plain, (const char *[]){"\ndescheduled  not known\n", NULL});
}

/* Below the list, in one line, however much they are estimated at. */
static void what_is_too_few_to_say_is_never_ranked(void **state)
{
	(void)state;
	recording_sample_weighed(&writer);
	written_entry(4)->estimated_ns = 1e9;
	written_entry(4)->count = 9;
	char *text = text_of(plain);
	assert_non_null(strstr(text, "\n 1.  ~ 64.0 ms (61.3 - 66.8 ms)  72.1 %  2,000 times measured"));
	assert_non_null(strstr(text, "\n\ntoo few to say: 3 entries of under 10 measured losses each, at most ~ "));
	assert_null(strstr(text, "\n 3.  "));
	free(text);
	recording_sample_weighed(&writer);
	written_entry(4)->count = 10;
	expect_words(plain, (const char *[]){" 3.  ~ 800.0 us (209.1 us - 3.1 ms)  0.9 %  10 times measured",
				    "too few to say: 2 entries of", NULL});
}

/* The longest loss is measured, not estimated. */
static void the_longest_losses_are_listed_however_few_they_are(void **state)
{
	(void)state;
	recording_sample_weighed(&writer);
	struct report_options options = {.top = REPORT_TOP_DEFAULT, .sort = TALLY_LONGEST};
	expect_words(options, (const char *[]){" 2.  too few to say  -  4 times measured, longest 60.0 us", NULL});
}

static void a_recording_of_few_losses_lists_none(void **state)
{
	(void)state;
	recording_sample_weighed(&writer);
	for (size_t i = 0; i < 5; i++)
		written_entry(i)->count = 1;
	expect_words(plain, (const char *[]){"Costliest: the 0 shown cover 0.0 % of the time lost\n",
				    "\ntoo few to say: 5 entries of under 10 measured losses each, at most ~ ", NULL});
}

static void a_file_without_intervals_has_the_widest(void **state)
{
	(void)state;
	recording_sample_weighed(&writer);
	struct stmlog_thread_record *threads = (void *)writer.sections[STMLOG_SECTION_THREADS].bytes;
	for (size_t row = 0; row < STMLOG_ACCOUNT_DESCHEDULED; row++) {
		threads[0].row_doubt_ns[row] = threads[0].attached_ns;
		threads[1].row_doubt_ns[row] = threads[1].attached_ns;
	}
	expect_words(plain, (const char *[]){"committed      ~ 2.38 s   79.3 %", "  1.70 - 2.99 s  979,744 ", NULL});
}

static void losses_of_the_log_itself_are_said(void **state)
{
	(void)state;
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

static void a_long_traceback_is_cut_at_a_glance_unless_full(void **state)
{
	(void)state;
	uint32_t sites[7];
	recording_sample(&writer);
	for (uint32_t i = 0; i < 7; i++)
		sites[i] = writer_place(&writer, "deep", "a/deep.c", i + 1);
	uint32_t deep = writer_traceback(&writer, sites, 7, 0);
	writer_entry(
		&writer, &(struct stmlog_entry_record){
				 .local = deep, .count = 1, .reason = STMLOG_USER_ABORT, .contention = STMLOG_NONE});
	struct writer_blob file = writer_file(&writer);
	struct recording recording;
	struct report_options options = {.top = 6};
	writer_fini(&writer);
	assert_int_equal(load_bytes(&recording, file.bytes, file.len), RECORDING_WHOLE);
	char *text = printed_report(&recording, options, report_text);
	assert_non_null(strstr(text, "deep.c:5  deep\n                 ... 2 more\n"));
	assert_null(strstr(text, "deep.c:6"));
	free(text);
	options.is_full = true;
	text = printed_report(&recording, options, report_text);
	assert_non_null(strstr(text, "a/deep.c:7  deep\n"));
	free(text);
	recording_fini(&recording);
	free(file.bytes);
}

static void a_haskell_name_is_short_unless_the_report_is_full_and_whole_in_json(void **state)
{
	(void)state;
	recording_sample(&writer);
	uint32_t sites[] = {
		writer_place(&writer, "stm-2.5.0.0:Control.Concurrent.STM.TBQueue.readTBQueue", "src/TBQueue.hs", 7),
		writer_place(&writer, "Main.serve.go", "Main.hs", 19), writer_place(&writer, "Old.Store.get", "", 0),
		writer_place(&writer, "New.Store.get", "", 0)};
	writer_entry(&writer, &(struct stmlog_entry_record){.local = writer_traceback(&writer, sites, 4, 0),
				      .count = 1,
				      .reason = STMLOG_USER_ABORT,
				      .contention = STMLOG_NONE});
	struct recording recording;
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
	char *json = printed_report(&recording, (struct report_options){.top = 6}, report_json);
	assert_non_null(strstr(json, "\"stm-2.5.0.0:Control.Concurrent.STM.TBQueue.readTBQueue\""));
	free(json);
	recording_fini(&recording);
}

/* 300 entries of 4,000 frames are more than all entries together may have. */
static void it_is_said_how_much_of_a_traceback_is_left_out(void **state)
{
	enum { ENTRIES = 300, DEEP = 4000 };
	(void)state;
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
	struct writer_blob file = writer_file(&writer);
	struct recording recording;
	writer_fini(&writer);
	assert_int_equal(load_bytes(&recording, file.bytes, file.len), RECORDING_WHOLE);
	char *text = printed_report(&recording, (struct report_options){.top = 6, .is_full = true}, report_text);
	char *json = printed_report(&recording, (struct report_options){.top = 6}, report_json);
	assert_non_null(strstr(text, "left out - frames beyond the innermost 1,71"));
	assert_non_null(strstr(text, "... 2,28"));
	assert_non_null(strstr(text, " more, left out\n"));
	assert_non_null(strstr(json, "\"left_out\": 228"));
	free(json);
	free(text);
	recording_fini(&recording);
	free(file.bytes);
}

static void an_abort_that_nobody_caused_blames_nobody(void **state)
{
	(void)state;
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
		writer_total(&writer, UINT32_MAX, UINT32_MAX, 0, 0);
		char *text = text_of(plain);
		assert_non_null(strstr(text, "user-abort, none"));
		assert_null(strstr(text, "blocked by"));
		assert_null(strstr(text, "for nothing"));
		free(text);
	}
}

static void names_cannot_steer_the_terminal(void **state)
{
	(void)state;
	recording_sample(&writer);
	writer_info(&writer, "arg=\033[2J");
	writer_info(&writer, "runtime=\377\n");
	uint32_t bad = writer_place(&writer, "f\rg", "x\ty.c", 1);
	uint32_t traceback = writer_traceback(&writer, &bad, 1, 0);
	writer_entry(&writer, &(struct stmlog_entry_record){.local = traceback, .count = 1});
	expect_words((struct report_options){.top = 6},
		(const char *[]){"?[2J", "\xef\xbf\xbd?", "x?y.c:1  f?g", "  x?y.c:1 f?g", NULL});
}

static void many_threads_are_cut_at_a_glance_unless_full(void **state)
{
	(void)state;
	for (int full = 0; full <= 1; full++) {
		writer_init(&writer);
		for (uint32_t id = 1; id <= 17; id++)
			writer_thread(&writer, &(struct stmlog_thread_record){.id = id, .commits = 5000 + id});
		writer_total(&writer, UINT32_MAX, UINT32_MAX, 0, 0);
		struct report_options options = {.is_full = full != 0};
		expect_words(options, full != 0 ? (const char *[]){"5,017", NULL}
						: (const char *[]){"5,016", "... 1 more (--full)", NULL});
	}
}

static void pauses_and_waits_that_were_inferred_are_told_from_measured_ones(void **state)
{
	(void)state;
	recording_sample(&writer);
	writer_info(&writer, "waits_estimated=1");
	expect_words(plain, (const char *[]){"\nestimated: times of pauses and waits, from how long",
				    "   pause, write-read", ", estimated", NULL});
	recording_sample(&writer);
	writer_info(&writer, "waits_estimated=0");
	char *text = text_of(plain);
	assert_null(strstr(text, "estimated"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_report_is_what_it_was),
		cmocka_unit_test(pauses_and_waits_that_were_inferred_are_told_from_measured_ones),
		cmocka_unit_test(hardware_transactions_have_a_line),
		cmocka_unit_test(hardware_that_did_nothing_has_done_nothing),
		cmocka_unit_test(hardware_that_nobody_has_counted_is_missing),
		cmocka_unit_test(a_method_that_is_none_is_called_so),
		cmocka_unit_test(a_conflict_over_data_is_called_that),
		cmocka_unit_test_setup_teardown(
			lazy_binding_is_suspected_where_it_may_be, temp_dir_setup, temp_dir_teardown),
		cmocka_unit_test(the_full_report_has_all_frames_and_whole_paths),
		cmocka_unit_test(by_cause_there_is_a_line_per_cause),
		cmocka_unit_test(by_pair_there_is_a_line_per_pair_and_per_aggressor),
		cmocka_unit_test(by_site_there_is_a_line_per_place_and_per_kind_of_transaction),
		cmocka_unit_test(by_object_and_by_thread_there_is_a_line_for_each),
		cmocka_unit_test(transactions_are_listed_in_full_and_said_to_be_those_measured),
		cmocka_unit_test(top_and_sort_choose_of_sites_objects_and_threads),
		cmocka_unit_test(behind_the_entries_there_are_the_few_pairs_that_cost_most),
		cmocka_unit_test(a_pair_that_is_too_long_for_a_line_gets_two),
		cmocka_unit_test(by_pair_sort_and_top_choose_too),
		cmocka_unit_test(sorting_and_top_choose_what_is_shown),
		cmocka_unit_test(a_run_that_lost_nothing_gets_one_line_besides_the_sums),
		cmocka_unit_test(a_recording_of_nothing_is_one_line),
		cmocka_unit_test(sampled_figures_are_marked_as_estimates),
		cmocka_unit_test(time_off_the_processor_is_told_apart),
		cmocka_unit_test(blocked_transactions_have_a_row_a_column_and_a_table),
		cmocka_unit_test(it_is_said_where_time_off_the_processor_is_not_known),
		cmocka_unit_test(what_is_too_few_to_say_is_never_ranked),
		cmocka_unit_test(the_longest_losses_are_listed_however_few_they_are),
		cmocka_unit_test(a_recording_of_few_losses_lists_none),
		cmocka_unit_test(a_file_without_intervals_has_the_widest),
		cmocka_unit_test(losses_of_the_log_itself_are_said),
		cmocka_unit_test(a_long_traceback_is_cut_at_a_glance_unless_full),
		cmocka_unit_test(a_haskell_name_is_short_unless_the_report_is_full_and_whole_in_json),
		cmocka_unit_test(it_is_said_how_much_of_a_traceback_is_left_out),
		cmocka_unit_test(an_abort_that_nobody_caused_blames_nobody),
		cmocka_unit_test(names_cannot_steer_the_terminal),
		cmocka_unit_test(many_threads_are_cut_at_a_glance_unless_full),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
