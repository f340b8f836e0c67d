/* SPDX-License-Identifier: MIT */
#include "loaded.h"

#include <jansson.h>
#include <stmlog/agent.h>
#include <stmlog/read.h>

#include "built_module.h"
#include "golden.h"
#include "recording_sample.h"
#include "temp_dir.h"

static struct writer writer;

static char *json_text(size_t top)
{
	OWNED(recording_fini) struct recording recording;
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	struct report_options options = {.top = top};
	char *text = printed_report(&recording, options, report_json);
	return text;
}

static json_t *parsed(size_t top)
{
	json_error_t error;
	OWNED(owned_free) char *text = json_text(top);
	json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	if (object == NULL)
		fail_msg("line %d: %s in:\n%s", error.line, error.text, text);
	return object;
}

static json_int_t number(json_t *object, const char *name)
{
	json_t *value = json_object_get(object, name);
	assert_true(json_is_integer(value));
	return json_integer_value(value);
}

TEST(the_json_is_what_it_was)
{
	recording_sample(&writer);
	OWNED(owned_free) char *text = json_text(REPORT_ALL);
	golden_check("report.json", text);
}

TEST(rows_have_their_figures_and_losers_and_lines)
{
	recording_sample(&writer);
	json_t *object = parsed(REPORT_ALL), *rows = json_object_get(object, "rows"), *row = json_array_get(rows, 1);
	assert_string_equal(json_string_value(json_object_get(json_array_get(rows, 0), "kind")), "unknown");
	assert_string_equal(json_string_value(json_object_get(row, "kind")), "transaction");
	assert_string_equal(json_string_value(json_object_get(row, "name")), "transfer");
	assert_string_equal(json_string_value(json_object_get(row, "line")), "bank.c:61");
	assert_string_equal(json_string_value(json_object_get(row, "how")), "conflict");
	assert_int_equal(number(row, "lost_ns"), 1050000);
	assert_int_equal(number(row, "lost_high_ns"), 1050000);
	assert_int_equal(number(row, "count"), 42);
	assert_true(json_is_false(json_object_get(row, "may_be_higher")));
	assert_true(json_is_null(json_object_get(row, "data")));
	assert_true(json_is_null(json_object_get(row, "call")));
	assert_int_equal(json_array_size(json_object_get(row, "frames")), 3);
	json_t *loser = json_array_get(json_object_get(row, "losers"), 0);
	assert_string_equal(json_string_value(json_object_get(loser, "text")), "audit :85");
	assert_int_equal(json_array_size(json_object_get(loser, "frames")), 2);
	static const char *const lines[] = {"how", "data", "try"};
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
		assert_true(json_is_string(json_object_get(json_object_get(row, "text"), lines[i])));
	json_decref(object);
}

TEST(rows_and_other_rows_add_up_to_all_that_was_lost)
{
	for (int is_weighed = 0; is_weighed < 2; is_weighed++) {
		is_weighed ? recording_sample_weighed(&writer) : recording_sample(&writer);
		json_t *object = parsed(REPORT_ALL), *rest = json_object_get(object, "other_rows"), *row;
		json_int_t sum = number(rest, "lost_ns") + number(rest, "preempted_ns") +
				 number(rest, "unmeasured_ns") + number(rest, "retried_ns");
		size_t i;
		json_array_foreach(json_object_get(object, "rows"), i, row) sum += number(row, "lost_ns");
		assert_int_equal(sum, number(json_object_get(json_object_get(object, "totals"), "lost"), "lost_ns"));
		json_decref(object);
	}
}

TEST(processes_have_their_sums)
{
	recording_sample_processes(&writer);
	json_auto_t *object = parsed(REPORT_ALL);
	json_t *processes = json_object_get(object, "processes"), *audit = json_array_get(processes, 1);
	assert_int_equal(json_array_size(processes), 2);
	assert_string_equal(json_string_value(json_object_get(audit, "program")), "audit");
	assert_int_equal(number(audit, "pid"), 4712);
	assert_int_equal(number(audit, "threads"), 1);
	assert_int_equal(number(audit, "commits"), 1234);
	assert_int_equal(number(audit, "aborts"), 52);
	assert_int_equal(number(audit, "attached_ns"), 1000000000);
	assert_int_equal(number(audit, "lost_ns"), 1700000);
	assert_int_equal(number(audit, "waiting_ns"), 400000);
}

TEST(what_was_under_way_has_its_length_and_both_sides)
{
	recording_sample(&writer);
	uint32_t site = writer_place(&writer, "transfer", "bank.c", 61);
	writer_open(
		&writer, &(struct stmlog_open_record){2, STMLOG_OPEN_WAIT, site, 1, site, STMLOG_GRADE_CERTAIN, 500});
	writer_open(&writer, &(struct stmlog_open_record){1, 99, STMLOG_NO_SITE, 0, STMLOG_NO_SITE, 0, 400});
	json_t *object = parsed(REPORT_ALL), *open = json_object_get(object, "open");
	json_t *wait = json_array_get(open, 0), *other = json_array_get(open, 1),
	       *because = json_object_get(wait, "because");
	assert_int_equal(number(wait, "thread"), 2);
	assert_int_equal(number(wait, "open_ns"), 500);
	assert_string_equal(json_string_value(json_object_get(wait, "kind")), "wait");
	assert_int_equal(number(json_object_get(wait, "begin"), "line"), 61);
	assert_int_equal(number(because, "thread"), 1);
	assert_string_equal(json_string_value(json_object_get(because, "grade")), "certain");
	assert_int_equal(number(json_object_get(because, "at"), "line"), 61);
	assert_string_equal(json_string_value(json_object_get(other, "kind")), "?");
	assert_true(json_is_null(json_object_get(other, "begin")));
	assert_true(json_is_null(json_object_get(other, "because")));
	json_decref(object);
}

TEST(frames_have_the_short_names_of_their_functions)
{
	static const char *const names[][2] = {{"void Book<unsigned long>::place<int>(int) const", "Book::place"},
		{"stm-2.5.0.0:Control.Concurrent.STM.TBQueue.readTBQueue", "TBQueue.readTBQueue"},
		{"transfer", "transfer"}};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		writer_init(&writer);
		uint32_t site = writer_place(&writer, names[i][0], "book.cc", 7);
		uint32_t traceback = writer_traceback(&writer, &site, 1, 0);
		writer_entry(&writer,
			&(struct stmlog_entry_record){.local = traceback, .count = 3, .lost_ns = 30, .longest_ns = 10});
		json_auto_t *object = parsed(REPORT_ALL);
		json_t *entry = json_array_get(json_object_get(object, "entries"), 0);
		json_t *frame = json_array_get(json_object_get(json_object_get(entry, "local"), "frames"), 0);
		assert_string_equal(json_string_value(json_object_get(frame, "function")), names[i][0]);
		assert_string_equal(json_string_value(json_object_get(frame, "short")), names[i][1]);
	}
}

TEST(totals_are_the_sums_of_the_threads)
{
	static const char *const summed[] = {"attached_ns", "outside_ns", "committed_ns", "aborted_ns", "paused_ns",
		"waiting_ns", "other_ns", "open_ns", "commits", "aborts", "pauses"};
	recording_sample(&writer);
	json_auto_t *object = parsed(REPORT_ALL);
	json_t *threads = json_object_get(object, "threads"), *totals = json_object_get(object, "totals");
	for (size_t i = 0; i < sizeof summed / sizeof summed[0]; i++) {
		json_int_t sum =
			number(json_array_get(threads, 0), summed[i]) + number(json_array_get(threads, 1), summed[i]);
		assert_int_equal(number(totals, summed[i]), sum);
	}
	assert_int_equal(number(totals, "residual_ns"), 0);
}

TEST(the_residual_is_computed_not_claimed)
{
	recording_sample(&writer);
	writer_thread(&writer, &(struct stmlog_thread_record){.id = 3, .attached_ns = 100, .committed_ns = 107});
	json_auto_t *object = parsed(REPORT_ALL);
	assert_int_equal(number(json_object_get(object, "totals"), "residual_ns"), -7);
}

TEST(members_that_are_sums_of_several_fields)
{
	struct stmlog_thread_record thread = {.id = 1,
		.aborted_ns = {1, 2, 3, 4},
		.aborts = {5, 6, 7, 8},
		.waiting_inevitable_ns = 9,
		.waiting_none_ns = 10,
		.commits = 11,
		.unmeasured_commits = 12,
		.unmeasured_aborts = 13};
	writer_init(&writer);
	writer_thread(&writer, &thread);
	json_auto_t *object = parsed(REPORT_ALL);
	json_t *totals = json_object_get(object, "totals");
	assert_int_equal(number(totals, "aborted_ns"), 10);
	assert_int_equal(number(totals, "aborts"), 39);
	assert_int_equal(number(totals, "waiting_ns"), 19);
	assert_int_equal(number(totals, "commits"), 23);
}

TEST(the_method_and_commits_in_hardware_have_fixed_names)
{
	recording_sample_hardware(&writer);
	json_auto_t *object = parsed(REPORT_ALL);
	assert_string_equal(json_string_value(json_object_get(object, "method")), "htm");
	assert_int_equal(number(object, "processors"), 2);
	json_t *hardware = json_object_get(object, "hardware");
	assert_int_equal(json_object_size(hardware), 2);
	assert_int_equal(number(hardware, "commits"), 60622);
	assert_int_equal(number(hardware, "fallbacks"), 612);
}

TEST(an_empty_recording_has_all_members)
{
	static const char *const members[] = {"stmlog", "command", "runtime", "clock", "wall_ns", "threads", "totals",
		"causes", "entries", "rows", "other_rows", "wakes", "warnings", "pairs", "aggressors", "sites",
		"objects", "by_thread", "transactions", "evicted", "wasted", "undecided", "method", "processors",
		"hardware", "probe", "sample", "losses"};
	writer_init(&writer);
	json_auto_t *object = parsed(REPORT_ALL);
	for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
		assert_non_null(json_object_get(object, members[i]));
	assert_int_equal(json_array_size(json_object_get(object, "entries")), 0);
	assert_true(json_is_null(json_object_get(object, "method")));
	assert_true(json_is_null(json_object_get(object, "processors")));
	assert_true(json_is_null(json_object_get(object, "hardware")));
}

/* Of the elements of an array, or of those entries in which another transaction had part. */
static json_int_t sum_of(json_t *object, const char *array, const char *name)
{
	json_int_t sum = 0;
	size_t i;
	json_t *element;
	json_array_foreach(json_object_get(object, array), i, element)
	{
		const char *contention = json_string_value(json_object_get(element, "contention"));
		if (contention == NULL || strcmp(contention, "none") != 0)
			sum += number(element, name);
	}
	return sum;
}

TEST(pairs_and_aggressors_add_up_to_the_entries)
{
	recording_sample(&writer);
	json_auto_t *object = parsed(REPORT_ALL);
	assert_int_equal(sum_of(object, "entries", "lost_ns"), 5400000);
	assert_int_equal(sum_of(object, "pairs", "lost_ns"), 5400000);
	assert_int_equal(sum_of(object, "aggressors", "lost_ns"), 5400000);
	assert_int_equal(sum_of(object, "entries", "count"), 2049);
	assert_int_equal(sum_of(object, "pairs", "count"), 2049);
	assert_int_equal(sum_of(object, "aggressors", "count"), 2049);
}

/* Nothing is left out: what was evicted is a row, and a wait without an entry is unexplained. */
TEST(sites_and_objects_add_up_to_what_is_explained_and_threads_to_all)
{
	for (json_int_t weight = 1; weight <= SAMPLE_WEIGHT; weight += SAMPLE_WEIGHT - 1) {
		if (weight == 1)
			recording_sample(&writer);
		else
			recording_sample_weighed(&writer);
		json_t *object = parsed(REPORT_ALL), *totals = json_object_get(object, "totals");
		json_t *lost = json_object_get(totals, "lost"), *rest = json_object_get(totals, "unexplained");
		assert_int_equal(number(rest, "aborted_ns") + number(rest, "paused_ns"), 0);
		assert_int_equal(number(rest, "waiting_ns"), weight * 400000);
		assert_int_equal(number(lost, "lost_ns"), weight * 5950000);
		assert_int_equal(number(json_object_get(totals, "explained"), "lost_ns"), weight * 5550000);
		assert_int_equal(sum_of(object, "sites", "lost_ns"), weight * 5550000);
		assert_int_equal(sum_of(object, "objects", "lost_ns"), weight * 5550000);
		assert_int_equal(sum_of(object, "by_thread", "lost_ns"), weight * 5950000);
		assert_int_equal(sum_of(object, "sites", "count"), number(lost, "count"));
		assert_int_equal(sum_of(object, "objects", "count"), number(lost, "count"));
		assert_int_equal(sum_of(object, "by_thread", "count"), number(lost, "count"));
		json_decref(object);
	}
}

/* The first pair loses 4 ms of a run of 2 s. */
static double saved(const char *more)
{
	recording_sample(&writer);
	writer_info(&writer, more);
	json_t *object = parsed(REPORT_ALL), *pair = json_array_get(json_object_get(object, "pairs"), 0);
	json_t *value = json_object_get(pair, "saves_at_most");
	double result = json_is_real(value) ? json_real_value(value) : -1;
	json_decref(object);
	return result;
}

TEST(a_pair_saves_what_it_lost_at_max_and_no_more_than_the_run)
{
	assert_true(saved("of_the_future=2") == 0.002);
	assert_true(saved("wall_ns=5000000") == 0.8);
	assert_true(saved("wall_ns=4000000") == 1);
	assert_true(saved("wall_ns=1000000") == 1);
	assert_true(saved("wall_ns=0") == -1);
}

TEST(of_an_estimate_a_pair_saves_the_upper_end_at_max)
{
	recording_sample_weighed(&writer);
	json_t *object = parsed(REPORT_ALL), *pair = json_array_get(json_object_get(object, "pairs"), 0);
	double high = (double)number(pair, "lost_high_ns") / (double)number(object, "wall_ns");
	double bound = json_real_value(json_object_get(pair, "saves_at_most"));
	assert_true(bound > 0.99999 * high && bound < 1.00001 * high);
	json_decref(object);
}

TEST(a_sampled_recording_says_so)
{
	recording_sample_weighed(&writer);
	json_auto_t *object = parsed(REPORT_ALL);
	json_t *sample = json_object_get(object, "sample");
	assert_int_equal(number(sample, "every"), 16);
	assert_true(json_is_false(json_object_get(sample, "exact")));
	assert_int_equal(number(sample, "commits"), 979744);
	assert_int_equal(number(sample, "timed"), 122468);
	assert_int_equal(number(sample, "measured"), 61234);
	json_t *probe = json_object_get(object, "probe");
	double effect = json_real_value(json_object_get(probe, "observer_effect"));
	assert_true(effect > 0.79999 && effect < 0.80001);
	assert_int_equal(number(probe, "phases_off"), 38);
}

/* Counts stay as measured, times are of all transactions, and what was measured stands beside. */
TEST(lost_time_is_scaled_with_its_interval_and_counts_are_not)
{
	static const char *const lists[] = {"entries", "pairs", "aggressors", "causes"};
	recording_sample_weighed(&writer);
	json_auto_t *object = parsed(REPORT_ALL);
	for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
		json_t *first = json_array_get(json_object_get(object, lists[i]), 0);
		json_int_t lost_ns = number(first, "lost_ns");
		assert_int_equal(lost_ns, SAMPLE_WEIGHT * number(first, "measured_ns"));
		assert_in_range(number(first, "lost_low_ns"), number(first, "measured_ns"), lost_ns - 1);
		assert_in_range(number(first, "lost_high_ns"), lost_ns + 1, 2 * lost_ns);
	}
	assert_int_equal(sum_of(object, "entries", "count"), 2049);
	assert_int_equal(sum_of(object, "entries", "lost_ns"), SAMPLE_WEIGHT * 5400000);
	assert_int_equal(number(json_object_get(object, "evicted"), "lost_ns"), SAMPLE_WEIGHT * 100000);
	assert_true(json_is_null(json_object_get(json_object_get(object, "wasted"), "lost_ns")));
	json_t *totals = json_object_get(object, "totals");
	assert_int_equal(number(totals, "aborted_ns"), SAMPLE_WEIGHT * 5300000);
	assert_int_equal(number(json_object_get(totals, "measured"), "aborted_ns"), 5300000);
	assert_int_equal(number(totals, "residual_ns"), 0);
	json_t *lost = json_object_get(totals, "lost");
	assert_int_equal(number(lost, "count"), 2057);
	assert_int_equal(number(lost, "lost_ns"), SAMPLE_WEIGHT * 5950000);
	assert_in_range(number(lost, "lost_high_ns"), number(lost, "lost_ns"),
		number(totals, "aborted_high_ns") + number(totals, "paused_high_ns") +
			number(totals, "waiting_high_ns"));
}

TEST(each_row_has_its_interval)
{
	static const char *const rows[] = {
		"committed", "aborted", "paused", "waiting", "other", "outside", "descheduled"};
	for (int is_sampled = 0; is_sampled <= 1; is_sampled++) {
		is_sampled ? recording_sample_weighed(&writer) : recording_sample(&writer);
		json_t *object = parsed(REPORT_ALL), *threads = json_object_get(object, "threads");
		json_t *const accounts[] = {
			json_object_get(object, "totals"), json_array_get(threads, 0), json_array_get(threads, 1)};
		for (size_t i = 0; i < 3 * 7; i++) {
			char names[3][32];
			const char *row = rows[i % 7];
			snprintf(names[0], sizeof names[0], "%s_ns", row);
			snprintf(names[1], sizeof names[1], "%s_low_ns", row);
			snprintf(names[2], sizeof names[2], "%s_high_ns", row);
			json_int_t ns = number(accounts[i / 7], names[0]), low_ns = number(accounts[i / 7], names[1]);
			json_int_t high_ns = number(accounts[i / 7], names[2]);
			bool is_exact = !is_sampled || ns == 0 || strcmp(row, "descheduled") == 0;
			assert_true(is_exact ? low_ns == ns && ns == high_ns : low_ns < ns && ns < high_ns);
		}
		json_decref(object);
	}
}

/* Below all that is known, whatever the estimate. */
TEST(entries_of_few_losses_come_last_and_are_marked)
{
	recording_sample_weighed(&writer);
	struct stmlog_entry_record *entries = (void *)writer.sections[STMLOG_SECTION_ENTRIES].bytes;
	entries[0].count = 9;
	entries[1].descheduled_ns = 77;
	json_t *object = parsed(REPORT_ALL), *list = json_object_get(object, "entries");
	json_t *first = json_array_get(list, 0);
	assert_true(json_is_false(json_object_get(first, "too_few")));
	assert_int_equal(number(first, "count"), 40);
	assert_int_equal(number(first, "descheduled_ns"), 77);
	for (size_t i = 1; i < 5; i++)
		assert_true(json_is_true(json_object_get(json_array_get(list, i), "too_few")));
	assert_int_equal(number(json_array_get(json_object_get(object, "pairs"), 0), "descheduled_ns"), 77);
	json_decref(object);
}

TEST(without_estimates_of_its_own_a_file_has_those_measured)
{
	recording_sample(&writer);
	writer_info(&writer, "sample_every=16");
	json_auto_t *object = parsed(REPORT_ALL);
	json_t *entry = json_array_get(json_object_get(object, "entries"), 0);
	assert_int_equal(number(entry, "lost_ns"), number(entry, "measured_ns"));
	assert_int_equal(number(entry, "lost_ns"), 4000000);
}

TEST(any_bytes_and_any_number_make_valid_json)
{
	recording_sample(&writer);
	writer_info(&writer, "arg=\377\"\\\n\001");
	writer_info(&writer, "runtime=\xc3");
	writer_info(&writer, "wall_ns=18446744073709551615");
	writer_info(&writer, "probe_cost_ns=18446744073709551615");
	uint32_t name = writer_string(&writer, "\xed\xa0\x80\033");
	writer_thread(&writer, &(struct stmlog_thread_record){.id = 3, .name = name, .attached_ns = UINT64_MAX});
	json_auto_t *object = parsed(REPORT_ALL);
	assert_true(number(object, "wall_ns") == INT64_MAX);
}

TEST(top_limits_entries_pairs_and_aggressors)
{
	for (size_t top = 0; top <= 6; top++) {
		recording_sample(&writer);
		json_auto_t *object = parsed(top);
		assert_int_equal(json_array_size(json_object_get(object, "entries")), top < 5 ? top : 5);
		assert_int_equal(json_array_size(json_object_get(object, "pairs")), top < 4 ? top : 4);
		assert_int_equal(json_array_size(json_object_get(object, "aggressors")), top < 3 ? top : 3);
	}
}

TEST(pauses_and_waits_that_were_inferred_are_estimated)
{
	recording_sample(&writer);
	writer_info(&writer, "waits_estimated=1");
	json_t *object = parsed(REPORT_ALL), *entry;
	size_t i, pauses = 0;
	json_array_foreach(json_object_get(object, "entries"), i, entry)
	{
		bool is_pause = strcmp(json_string_value(json_object_get(entry, "reason")), "pause") == 0;
		assert_int_equal(json_is_true(json_object_get(entry, "estimated")), is_pause);
		pauses += is_pause;
	}
	assert_int_equal(pauses, 1);
	assert_true(json_is_true(json_object_get(json_object_get(object, "totals"), "waits_estimated")));
	json_decref(object);
}
