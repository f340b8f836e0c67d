/* SPDX-License-Identifier: MIT
 * Figures of the text report: which totals are exact and which are estimates, those that are too few for one, time
 * that is no loss, and hardware transactions. */
#include "report_words.h"

/* ---- totals: which are exact, and recordings that lack aborts or times ---- */

static void write_thread_with(const char *const *lines)
{
	writer_init(&writer);
	for (; *lines != NULL; lines++)
		writer_info(&writer, *lines);
	writer_thread(&writer,
		&(struct stmlog_thread_record){.id = 1, .attached_ns = 5, .outside_ns = 5, .unmeasured_aborts = 1000});
}

TEST(totals_are_exact_where_all_was_measured_or_counters_are_read)
{
	static const struct {
		const char *info[4];
		bool is_exact;
	} cases[] = {
		{{NULL}, true},
		{{"sample_every=1", "counters_known=0"}, true},
		{{"sample_every=4", "counters_known=1"}, true},
		{{"sample_every=4", "counters_known=0"}, false},
		{{"sample_every=4"}, true}, /* a runtime that tells of unmeasured ones by itself */
		{{"commits_known=0", "counters_known=1"}, true},
		{{"commits_known=0", "counters_known=0"}, false},
		{{"attaches_refused=1"}, false},
		{{"threads_uncounted=1"}, false},
		{{"method=htm"}, false},
		{{"method=htm", "hardware_commits=0", "counters_known=1"}, false},
		{{"method=ml_wt", "sample_every=4", "counters_known=1"}, true},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		OWNED(recording_fini) struct recording recording;
		write_thread_with(cases[i].info);
		assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
		assert_int_equal(recording_has_exact_totals(&recording), cases[i].is_exact);
	}
}

static void add_module(const char *path, uint8_t id)
{
	struct stmlog_module_record module = {.build_id_len = 2, .build_id = {id, 0x0c}};
	module.path = writer_string(&writer, path);
	writer_module(&writer, &module);
}

TEST(a_libitm_whose_counters_are_not_known_is_named_by_its_build_id)
{
	static const char *const lines[] = {"sample_every=4", "counters_known=0", NULL};
	write_thread_with(lines);
	add_module("/lib/libitmus.so", 7);
	expect_words(plain, (const char *const[]){"\naborts of transactions that were not measured are missing: the "
						  "counters of this libitm are not known\n",
				    NULL});
	write_thread_with(lines);
	add_module("/lib/libitmus.so", 7);
	add_module("/lib/libitm.so.1", 0xab);
	expect_words(plain, (const char *const[]){"the counters of this libitm (build-id ab0c) are not known\n", NULL});
}

TEST(where_only_aborts_were_counted_no_time_and_no_loss_is_told)
{
	write_thread_with((const char *const[]){
		"commits_known=0", "counters_known=1", "passive=1", "restarts_LOCKED_READ=1000", NULL});
	OWNED(owned_free) char *text = text_of(plain);
	assert_has(text, "\n1,000 aborts by libitm's own count; no time was measured, and no commit counted\n");
	assert_null(strstr(text, "committed"));
	assert_null(strstr(text, "exact"));
	assert_null(strstr(text, "lost"));
}

/* ---- estimates ---- */

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

/* ---- time that is no loss: off the processor, and asleep after a retry ---- */

TEST(time_off_the_processor_is_told_apart)
{
	recording_sample(&writer);
	written_entry(1)->descheduled_ns = 3000000;
	struct stmlog_thread_record *threads = written_threads();
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
	OWNED(owned_free) char *text = text_of(plain);
	assert_null(strstr(text, "of that"));
}

TEST(it_is_said_where_time_off_the_processor_is_not_known)
{
	recording_sample(&writer);
	writer_info(&writer, "descheduled_known=0");
	expect_words(plain, (const char *[]){"\ndescheduled  not known\n", NULL});
}

static void write_blocked(void)
{
	recording_sample(&writer);
	struct stmlog_thread_record *threads = written_threads();
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
}

TEST(blocked_transactions_have_a_row_a_column_and_a_table)
{
	write_blocked();
	expect_words(
		plain, (const char *[]){"\nblocked        3.0 ms    0.1 %       2           1\n", "\nresidual 0 ns\n",
			       "\nBlocked after a retry: 7 times, 1 in vain; no loss\n"
			       "of these by green threads: 5 times, 7.0 ms; no part of the account\n",
			       "10.0 ms      7        1   2.0 ms\n", "  aborted  blocked  outside", NULL});
}

TEST(without_the_place_of_the_write_its_transaction_has_woken_them)
{
	recording_sample(&writer);
	written_threads()[1].blocked_unattached = 9;
	uint32_t publish = writer_place(&writer, "publish", "news.c", 33),
		 same = writer_place(&writer, "publish", "news.c", 33),
		 other = writer_place(&writer, "release", "pool.c", 12);
	writer_blocked(&writer, &(struct stmlog_blocked_record){.site = 0,
					.count = 9,
					.wakes_known = 9,
					.wakers = {{other, 0, 4}, {publish, 0, 2}, {same, 0, 3}}});
	expect_words(plain, (const char *[]){"  woken by\n", "  news.c:33 publish\n", NULL});
}

TEST(spurious_wakes_are_told_apart_where_they_are_known)
{
	write_blocked();
	writer_info(&writer, "blocked_spurious=1");
	expect_words(plain, (const char *[]){": 7 times, 1 in vain, 1 of these spurious; no loss\n", NULL});
}

/* ---- hardware transactions ---- */

static const char *const not_reported =
	"libitm reports neither aborts nor waits of hardware transactions: their time is among that committed\n";

/* The sample's own losses are none of htm: the row that has one is shown. */
TEST(commits_in_hardware_and_without_have_a_line)
{
	recording_sample_hardware(&writer);
	expect_words(plain,
		(const char *const[]){"(pid 4711): libitm htm, 2 threads on 2 processors, 2.00 s, clock monotonic\n",
			"\nhardware: 60,622 commits, fallbacks 612 = 1.0 % of transactions\n", not_reported, NULL});
}

static void one_transaction_without_a_loss(const char *method)
{
	writer_init(&writer);
	writer_info(&writer, method);
	writer_thread(
		&writer, &(struct stmlog_thread_record){.id = 1, .attached_ns = 1, .committed_ns = 1, .commits = 1});
}

TEST(losses_that_nobody_sees_are_not_called_none)
{
	static const char *const rows[] = {
		"\naborted      not known", "\npaused       not known", "\nwaiting      not known"};
	for (int is_hardware = 0; is_hardware < 2; is_hardware++) {
		one_transaction_without_a_loss(is_hardware ? "method=htm" : "method=ml_wt");
		OWNED(owned_free) char *text = text_of(plain);
		for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
			assert_int_equal(strstr(text, rows[i]) != NULL, is_hardware);
		assert_int_equal(strstr(text, not_reported) != NULL, is_hardware);
		assert_int_equal(strstr(text, "Nothing was lost") != NULL, !is_hardware);
		assert_int_equal(strstr(text, " attempts per second") != NULL, !is_hardware);
		assert_null(strstr(text, "hardware: "));
	}
}

/* Nothing is called exact there. */
TEST(aborts_that_nobody_sees_are_not_counted_exactly)
{
	recording_sample(&writer);
	writer_info(&writer, "counters_known=1");
	expect_words(
		plain, (const char *const[]){"\ncounts of commits and aborts are exact, of all transactions\n", NULL});
	recording_sample(&writer);
	writer_info(&writer, "counters_known=1");
	writer_info(&writer, "method=htm");
	OWNED(owned_free) char *text = text_of(plain);
	assert_null(strstr(text, "exact"));
}
