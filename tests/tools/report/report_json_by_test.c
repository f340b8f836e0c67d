/* SPDX-License-Identifier: MIT */
#include "loaded.h"

#include <jansson.h>

static struct recording recording;

/* The distributions of the report's only place. */
static json_t *transactions_of(const struct stmlog_transaction_record *record)
{
	struct writer writer;
	writer_init(&writer);
	writer_transaction(&writer, record);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	OWNED(owned_free)
	char *text = printed_report(&recording, (struct report_options){.top = REPORT_ALL}, report_json);
	json_t *report = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(report);
	recording_fini(&recording);
	return report;
}

static void expect_buckets(json_t *report, const char *distribution, const char *expected)
{
	json_t *place = json_array_get(json_object_get(report, "transactions"), 0);
	OWNED(owned_free)
	char *text = json_dumps(json_object_get(json_object_get(place, distribution), "buckets"), JSON_COMPACT);
	assert_string_equal(text, expected);
}

TEST(a_distribution_has_its_buckets_with_the_largest_value_of_each)
{
	json_auto_t *report = transactions_of(&(struct stmlog_transaction_record){.site = STMLOG_NO_SITE,
		.commits = 6,
		.attempts = 20,
		.max_attempts = 9,
		.by_attempts = {[1] = 3, [2] = 2, [8] = 1},
		.by_lost_ns = {[0] = 6}});
	expect_buckets(report, "attempts", "[[1,3],[2,2],[9,1]]");
	expect_buckets(report, "lost", "[[0,6]]");
}

TEST(the_last_bucket_has_no_largest_value)
{
	json_auto_t *report = transactions_of(&(struct stmlog_transaction_record){.site = STMLOG_NO_SITE,
		.commits = 2,
		.attempts = 2,
		.max_attempts = 1,
		.longest_ns = UINT64_MAX,
		.by_attempts = {[1] = 2},
		.by_lost_ns = {[STMLOG_LOST_BUCKETS - 1] = 2}});
	expect_buckets(report, "lost", "[[null,2]]");
}

TEST(reads_that_no_attempt_knows_are_null)
{
	struct stmlog_transaction_record record = {.site = STMLOG_NO_SITE,
		.commits = 3,
		.committed_ns = 50,
		.by_attempts = {[1] = 3},
		.by_lost_ns = {[0] = 3}};
	json_auto_t *without = transactions_of(&record);
	record.reads = 80;
	record.reads_known = 2;
	json_auto_t *with = transactions_of(&record);
	json_t *place = json_array_get(json_object_get(without, "transactions"), 0);
	assert_true(json_is_null(json_object_get(place, "reads")));
	assert_true(json_is_null(json_object_get(place, "committed_ns")));
	assert_int_equal(json_integer_value(json_object_get(place, "measured_ns")), 50);
	json_t *reads = json_object_get(json_array_get(json_object_get(with, "transactions"), 0), "reads");
	assert_int_equal(json_integer_value(json_object_get(reads, "sum")), 80);
	assert_int_equal(json_integer_value(json_object_get(reads, "attempts")), 2);
}
