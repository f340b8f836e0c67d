/* SPDX-License-Identifier: MIT
 * Breaks one equation at a time, in a recording that is right otherwise. */
#include "loaded.h"

#include <math.h>

#include <stmlog/timeline.h>

#include "recording_sample.h"
#include "timeline_text.h"
#include "verify.h"

static struct writer writer;
static char told[4096];

static void collect(const char *text, void *arg)
{
	(void)arg;
	strncat(told, text, sizeof told - strlen(told) - 1);
	strncat(told, "\n", sizeof told - strlen(told) - 1);
}

static size_t verify_written(void)
{
	OWNED(recording_fini) struct recording recording;
	told[0] = '\0';
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	size_t violations = verify_recording(&recording, collect, NULL);
	return violations;
}

TEST(a_right_recording_violates_nothing)
{
	recording_sample(&writer);
	assert_int_equal(verify_written(), 0);
	assert_string_equal(told, "");
}

TEST(an_empty_recording_violates_nothing)
{
	writer_init(&writer);
	assert_int_equal(verify_written(), 0);
}

TEST(processes_add_up_to_all_threads)
{
	static const size_t members[] = {offsetof(struct stmlog_process_record, attached_ns),
		offsetof(struct stmlog_process_record, commits), offsetof(struct stmlog_process_record, aborts)};
	recording_sample_processes(&writer);
	assert_int_equal(verify_written(), 0);
	for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
		recording_sample_processes(&writer);
		++*(uint64_t *)(void *)(writer.sections[STMLOG_SECTION_PROCESSES].bytes + members[i]);
		assert_int_equal(verify_written(), 1);
		assert_non_null(strstr(told, "the processes have "));
	}
}

TEST(sums_that_64_bits_cannot_hold_are_told)
{
	const uint64_t half = UINT64_C(1) << 63;
	writer_init(&writer);
	for (uint32_t id = 1; id <= 2; id++)
		writer_thread(&writer, &(struct stmlog_thread_record){.id = id,
					       .attached_ns = half,
					       .outside_ns = half,
					       .unmeasured_commits = half,
					       .unmeasured_aborts = half});
	for (int i = 0; i < 2; i++)
		writer_entry(
			&writer, &(struct stmlog_entry_record){.count = half, .lost_ns = half, .longest_ns = half});
	assert_true(verify_written() >= 5);
	assert_non_null(strstr(told, "the sum of attached times is above 2^64"));
	assert_non_null(strstr(told, "the sum of commits is above 2^64"));
	assert_non_null(strstr(told, "the sum of aborts is above 2^64"));
	assert_non_null(strstr(told, "the sum of losses is above 2^64"));
	assert_non_null(strstr(told, "the sum of lost times is above 2^64"));
}

/* A number of a right recording, changed by `delta`, and the violation expected. */
struct change {
	uint32_t section;
	size_t at;
	size_t size;
	int delta;
	const char *expected;
};

#define THREAD(i, member)                                                                                  \
	STMLOG_SECTION_THREADS,                                                                            \
		(i) * sizeof(struct stmlog_thread_record) + offsetof(struct stmlog_thread_record, member), \
		sizeof(((struct stmlog_thread_record *)0)->member)
#define ENTRY(i, member)                                                                                 \
	STMLOG_SECTION_ENTRIES,                                                                          \
		(i) * sizeof(struct stmlog_entry_record) + offsetof(struct stmlog_entry_record, member), \
		sizeof(((struct stmlog_entry_record *)0)->member)
#define TOTAL(i, member)                                                                                 \
	STMLOG_SECTION_TOTALS,                                                                           \
		(i) * sizeof(struct stmlog_total_record) + offsetof(struct stmlog_total_record, member), \
		sizeof(((struct stmlog_total_record *)0)->member)

static const struct change changes[] = {
	{THREAD(0, attached_ns), 1, "thread 1: its accounts miss its attached time by 1 ns"},
	{THREAD(0, outside_ns), 1, "thread 1: its accounts miss its attached time by -1 ns"},
	{THREAD(0, committed_ns), 1, "by -1 ns"},
	{THREAD(1, other_ns), 1, "thread 2: its accounts"},
	{THREAD(1, open_ns), -1, "by 1 ns"},
	{THREAD(1, waiting_none_ns), 1, "by -1 ns"},
	{THREAD(0, paused_ns), 1, "pauses: the totals lost 250000 ns, the threads 250001 ns"},
	{THREAD(0, pauses), 1, "pauses: the totals count 5, the threads 6"},
	{THREAD(0, aborted_ns[0]), 1, "aborts, write-write: the totals lost 4150000 ns, the threads 4150001 ns"},
	{THREAD(0, aborts[0]), 1, "aborts, write-write: the totals count 2004, the threads 2005"},
	{THREAD(1, aborts[3]), 1, "aborts, none: the totals count 2, the threads 3"},
	{THREAD(0, aborts_data), 1, "aborts, data: the totals count 0, the threads 1"},
	{THREAD(0, aborted_data_ns), 1, "aborts, data: the totals lost 0 ns, the threads 1 ns"},
	{THREAD(0, aborted_data_ns), 1, "thread 1: its accounts miss its attached time by -1 ns"},
	{THREAD(0, waits_inevitable), 1, "waits, inevitable: the totals count 0, the threads 1"},
	{THREAD(1, id), -1, "thread 1 stands behind thread 1"},
	{TOTAL(1, reason), 100, "total 1: a cause that this stmlog does not know"},
	{TOTAL(0, count), 1, "entries and evicted count 2057, the totals 2058"},
	{TOTAL(1, lost_ns), 1, "entries and evicted lost 5550000 ns, the totals 5550001 ns"},
	{TOTAL(5, count), 1, "entries and evicted count 2058, the totals 2057"},
	{TOTAL(5, lost_ns), -1, "entries and evicted lost 5549999 ns"},
	{ENTRY(0, count), 1, "entries and evicted count 2058"},
	{ENTRY(1, lost_ns), 1, "entries and evicted lost 5550001 ns"},
	{ENTRY(2, count), -5, "entry 2: counts nothing"},
	{ENTRY(2, shortest_ns), 1, "entry 2: shortest_ns is above longest_ns"},
	{ENTRY(2, longest_ns), 300000, "entry 2: longest_ns is above lost_ns"},
	{ENTRY(2, first_ns), 10001, "entry 2: its first loss is later than its last"},
	{ENTRY(2, lost_ns), 1000000, "entry 2: lost more than the one before it"},
	{ENTRY(0, objects[0].count), 600, "entry 0: 2400 objects in 2000 losses"},
	{ENTRY(1, objects[3].count), 1, "entry 1: counts an object that has no address"},
	{ENTRY(1, false_conflicts), 40, "entry 1: false_conflicts is above count"},
	{ENTRY(1, false_aliases), 2, "entry 1: false_aliases is above false_conflicts"},
	{ENTRY(1, certain), 1, "entry 1: certain is above count"},
	{ENTRY(1, wasted), 24, "entry 1: has more wasted and undecided losses than losses"},
	{ENTRY(1, undecided), 24, "entry 1: has more wasted and undecided losses than losses"},
	{ENTRY(1, wasted_ns), 700001, "entry 1: wasted_ns is above lost_ns"},
	{ENTRY(1, wasted), 2, "losses for nothing: the sum is 14, the entries have 15"},
	{ENTRY(1, wasted), -6, "losses for nothing: the sum is 14, the entries have 7, at most 6 evicted"},
	{ENTRY(1, wasted_ns), 20001, "ns lost for nothing: the sum is 340000, the entries have 340001"},
	{ENTRY(1, wasted_ns), -80001,
		"ns lost for nothing: the sum is 340000, the entries have 239999, at most 100000"},
	{ENTRY(1, undecided), 2, "undecided losses: the sum is 6, the entries have 7"},
	{ENTRY(3, undecided), 2, "undecided losses: the sum is 6, the entries have 7"},
	{ENTRY(1, reason), 5, "entry 1: a cause or grade that this stmlog does not know"},
	{ENTRY(1, contention), 4, "entry 1: a cause or grade"},
	{ENTRY(1, grade), 1, "entry 1: a cause or grade"},
	{ENTRY(1, local_thread), 1, "entry 1: there is no thread 3"},
	{ENTRY(1, remote_thread), 2, "entry 1: there is no thread 3"},
};

static void apply(const struct change *change)
{
	uint8_t *at = writer.sections[change->section].bytes + change->at;
	uint64_t value = 0;
	memcpy(&value, at, change->size);
	value += (uint64_t)(int64_t)change->delta;
	memcpy(at, &value, change->size);
}

TEST(each_number_that_is_off_is_told)
{
	for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
		recording_sample(&writer);
		apply(&changes[i]);
		if (verify_written() == 0 || strstr(told, changes[i].expected) == NULL)
			fail_msg("change %zu: \"%s\" is not in:\n%s", i, changes[i].expected, told);
	}
}

/* Violations of estimates, in a recording that is right otherwise. */
struct wrong {
	uint32_t section;
	size_t at;
	size_t size; /* not used: comes from the macros above; each number here is a double */
	double factor;
	const char *expected;
};

static const struct wrong wrongs[] = {
	{ENTRY(0, estimated_ns), 1.001, "entries and evicted are estimated at"},
	{TOTAL(1, estimated_ns), 1.001, "entries and evicted are estimated at"},
	{TOTAL(5, estimated_ns), 1.001, "entries and evicted are estimated at"},
	{ENTRY(2, estimated_ns), 0.06, "entry 2: its estimate is below what was measured"},
	{ENTRY(2, estimated_ns), INFINITY, "entries and evicted are estimated at"},
	{ENTRY(2, estimated_ns), NAN, "entry 2: its estimate is below what was measured"},
	{ENTRY(1, variance_ns2), -1,
		"entry 1: its estimate is below what was measured, or its variance is below 0 or no"},
	{ENTRY(1, variance_ns2), NAN,
		"entry 1: its estimate is below what was measured, or its variance is below 0 or no"},
	{ENTRY(1, variance_ns2), 10, "the variances of entries are above those of causes"},
	{TOTAL(0, variance_ns2), 10, "or these above that of all"},
	{TOTAL(0, variance_ns2), INFINITY, "total 0: its estimate is below what was measured, or its variance"},
	{TOTAL(2, estimated_ns), 1.001, "aborts: the totals are estimated at"},
	{TOTAL(3, estimated_ns), 1.001, "pauses: the totals are estimated at"},
	{ENTRY(2, estimated_ns), 200, "entry 2: its estimate exceeds the row that it is a part of"},
	{THREAD(0, row_variance_ns2[STMLOG_ACCOUNT_PAUSED]), -1, "thread 1: the variance of 'paused' is below 0"},
	{THREAD(1, row_variance_ns2[STMLOG_ACCOUNT_OUTSIDE]), NAN,
		"thread 2: the variance of 'outside' is below 0 or no"},
	{THREAD(1, row_variance_ns2[STMLOG_ACCOUNT_OTHER]), INFINITY, "thread 2: the variance of 'other'"},
};

static void distort(const struct wrong *wrong)
{
	double value;
	uint8_t *at = writer.sections[wrong->section].bytes + wrong->at;
	memcpy(&value, at, sizeof value);
	value *= wrong->factor;
	memcpy(at, &value, sizeof value);
}

TEST(each_estimate_that_is_off_is_told)
{
	recording_sample_weighed(&writer);
	assert_int_equal(verify_written(), 0);
	for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
		recording_sample_weighed(&writer);
		distort(&wrongs[i]);
		if (verify_written() == 0 || strstr(told, wrongs[i].expected) == NULL)
			fail_msg("wrong %zu: \"%s\" is not in:\n%s", i, wrongs[i].expected, told);
	}
}

TEST(estimates_of_threads_are_told_too)
{
	static const struct change below = {THREAD(0, estimated_paused_ns), -4000000 + 249999, NULL},
				   off = {THREAD(1, estimated_aborted_ns[1]), -100, NULL};
	recording_sample_weighed(&writer);
	apply(&below);
	verify_written();
	assert_non_null(strstr(told, "thread 1: an estimate is below what was measured"));
	recording_sample_weighed(&writer);
	apply(&(struct change){THREAD(1, aborted_data_ns), 1, NULL});
	verify_written();
	assert_non_null(strstr(told, "thread 2: an estimate is below what was measured"));
	recording_sample_weighed(&writer);
	apply(&off);
	assert_int_equal(verify_written(), 1);
	assert_non_null(
		strstr(told, "aborts: the totals are estimated at 84800000 ns, above the threads' 84799900 ns"));
}

TEST(estimates_that_exceed_the_time_there_was_are_told)
{
	recording_sample_weighed(&writer);
	apply(&(struct change){THREAD(1, estimated_aborted_ns[1]), 1000000000, NULL});
	assert_int_equal(verify_written(), 1);
	assert_string_equal(told, "thread 2: its estimates exceed its attached time\n");
}

/* Nothing else is told because of it. */
TEST(a_number_that_is_none_has_one_line)
{
	static const struct wrong none[] = {{ENTRY(1, variance_ns2), NAN, NULL}, {TOTAL(1, variance_ns2), NAN, NULL},
		{THREAD(1, row_variance_ns2[0]), NAN, NULL}, {THREAD(1, row_variance_ns2[6]), NAN, NULL}};
	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
		recording_sample_weighed(&writer);
		distort(&none[i]);
		assert_int_equal(verify_written(), 1);
	}
}

/* Returns the number of faults of the sample after the change, with this fact if it is not NULL. */
static size_t faults_of(const struct change *change, const char *fact)
{
	recording_sample(&writer);
	apply(change);
	if (fact != NULL)
		writer_info(&writer, fact);
	return verify_written();
}

/* Time off the processor is a part of the attached time. */
TEST(descheduled_time_is_accounted_for)
{
	assert_int_equal(faults_of(&(struct change){THREAD(0, descheduled_ns), 1000, NULL}, NULL), 1);
	assert_non_null(strstr(told, "thread 1: its accounts miss its attached time by -1000 ns"));
	recording_sample(&writer);
	apply(&(struct change){THREAD(0, descheduled_ns), 1000, NULL});
	apply(&(struct change){THREAD(0, outside_ns), -1000, NULL});
	assert_int_equal(verify_written(), 0);
}

/* If each transaction was measured, estimates must be what was measured. */
TEST(an_exact_recording_has_no_estimates_of_its_own)
{
	static const struct wrong more = {ENTRY(0, estimated_ns), 1.0001, NULL};
	recording_sample(&writer);
	distort(&more);
	verify_written();
	assert_non_null(strstr(told, "entry 0: its estimate is not what was measured, though all was"));
	assert_int_equal(faults_of(&(struct change){THREAD(0, estimated_committed_ns), 1, NULL}, NULL), 1);
	assert_non_null(strstr(told, "thread 1: an estimate is not what was measured, though all was"));
}

TEST(logs_that_could_not_be_read_make_totals_a_bound)
{
	const struct change fewer = {THREAD(0, aborts[0]), 7, NULL}, more = {THREAD(0, aborts[0]), -7, NULL};
	assert_int_equal(faults_of(&fewer, "logs_unread=1"), 0);
	assert_int_equal(faults_of(&more, "logs_unread=1"), 1);
}

TEST(of_threads_that_were_killed_within_a_hook_sums_may_differ)
{
	const struct change more = {THREAD(0, aborts[0]), -7, NULL};
	assert_int_equal(faults_of(&more, "killed_within=1"), 0);
}

TEST(threads_in_the_remainder_may_be_named)
{
	assert_int_equal(faults_of(&(struct change){ENTRY(1, local_thread), 90, NULL}, "threads_dropped=1"), 0);
}

/* Five events of thread 1, with a gap of 3. */
static void write_timeline(unsigned last_kind)
{
	static const struct stmlog_place_record unknown;
	const unsigned kinds[] = {
		STMLOG_EVENT_ATTACH, STMLOG_EVENT_START, STMLOG_EVENT_MISSING, STMLOG_EVENT_START, last_kind};
	recording_sample(&writer);
	writer_event_place(&writer, &unknown);
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		writer_event(
			&writer, &(struct stmlog_event_record){
					 .time_ns = 10 * i, .argument = 3, .thread = 1, .kind = (uint8_t)kinds[i]});
}

TEST(the_first_event_that_breaks_a_rule_is_told)
{
	write_timeline(STMLOG_EVENT_COMMIT);
	writer_info(&writer, "events_missing=3");
	assert_int_equal(verify_written(), 0);
	write_timeline(STMLOG_EVENT_START);
	writer_info(&writer, "events_missing=3");
	assert_int_equal(verify_written(), 1);
	assert_string_equal(told, "event 4, 'start' of thread 1: an attempt is under way already\n");
}

TEST(what_threads_say_of_a_task_is_told_where_it_cannot_be)
{
	timeline_text(&writer, 2, "1 1 task-start 7\n2 2 task-start 7\n");
	assert_int_equal(verify_written(), 1);
	assert_string_equal(told, "event 3, 'task-start' of thread 2: a thread works on the task already\n");
	timeline_text(&writer, 1,
		"1 1 task-start 7\n2 1 region-begin 1 r\n3 1 task-end 7\n4 1 task-start 8\n5 1 region-end\n");
	assert_int_equal(verify_written(), 1);
	assert_string_equal(told, "event 5, 'region-end' of thread 1: another task has begun the region\n");
	timeline_text(&writer, 2, "1 1 task-start 7\n2 2 task-start 8\n3 1 region-begin 1 r\n");
	assert_int_equal(verify_written(), 0);
}

TEST(missing_events_are_those_of_the_gaps)
{
	write_timeline(STMLOG_EVENT_COMMIT);
	writer_info(&writer, "events_missing=4");
	assert_int_equal(verify_written(), 1);
	assert_string_equal(told, "missing events: the sum is 4, the timeline has 3\n");
}
