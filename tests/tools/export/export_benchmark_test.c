/* SPDX-License-Identifier: MIT
 * Results of Google Benchmark: valid JSON for any names, each name once, and time per commit. */
#include "exported.h"

#include <jansson.h>

#include <stmlog/read.h>

static struct writer writer;

static json_t *exported_now(void)
{
	char *text = exported_text(&writer, "benchmark");
	json_error_t error;
	json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	if (object == NULL)
		fail_msg("%s in: %s", error.text, text);
	free(text);
	return object;
}

/* The one of this name; there is exactly one. */
static json_t *named(json_t *object, const char *name)
{
	json_t *one, *found = NULL;
	size_t i;
	json_array_foreach(json_object_get(object, "benchmarks"), i, one)
	{
		if (strcmp(json_string_value(json_object_get(one, "name")), name) != 0)
			continue;
		assert_null(found);
		found = one;
	}
	if (found == NULL)
		fail_msg("no benchmark '%s'", name);
	return found;
}

static json_int_t number(json_t *object, const char *name)
{
	json_t *value = json_object_get(object, name);
	assert_true(json_is_integer(value));
	return json_integer_value(value);
}

static void assert_time(json_t *one, double ns)
{
	double real = json_real_value(json_object_get(one, "real_time"));
	assert_true(real > ns * 0.999999 - 1e-9 && real < ns * 1.000001 + 1e-9);
	assert_true(json_real_value(json_object_get(one, "cpu_time")) == real);
	assert_string_equal(json_string_value(json_object_get(one, "time_unit")), "ns");
	assert_string_equal(json_string_value(json_object_get(one, "run_type")), "iteration");
}

TEST(time_is_what_was_lost_for_each_commit)
{
	recording_sample(&writer);
	json_t *object = exported_now();
	assert_int_equal(json_array_size(json_object_get(object, "benchmarks")), 3 + 5);
	json_t *total = named(object, "total/lost");
	assert_time(total, 5950000 / 61234.0);
	assert_int_equal(number(total, "iterations"), 61234);
	assert_int_equal(number(total, "aborts"), 2052);
	assert_int_equal(number(total, "losses"), 2057);
	assert_int_equal(number(total, "threads"), 2);
	assert_time(named(object, "total/wall"), 2000000000 / 61234.0);
	json_t *audit = named(object, "self-abort/write-read/audit bank.c:85 < transfer bank.c:61");
	assert_time(audit, 1000000 / 61234.0);
	assert_int_equal(number(audit, "lost_ns"), 1000000);
	assert_int_equal(number(audit, "longest_ns"), 100000);
	json_t *context = json_object_get(object, "context");
	assert_string_equal(json_string_value(json_object_get(context, "date")), "2023-11-14T22:13:20+00:00");
	assert_string_equal(json_string_value(json_object_get(context, "times")), "lost for each commit");
	assert_true(json_is_null(json_object_get(context, "method")));
	assert_null(json_object_get(context, "num_cpus"));
	json_decref(object);
	recording_sample_hardware(&writer);
	object = exported_now();
	context = json_object_get(object, "context");
	assert_string_equal(json_string_value(json_object_get(context, "method")), "htm");
	assert_int_equal(number(context, "num_cpus"), 2);
	json_decref(object);
}

TEST(without_commits_time_is_that_of_the_run)
{
	writer_init(&writer);
	writer_info(&writer, "wall_ns=77");
	writer_info(&writer, "unix_ns=18446744073709551615");
	writer_entry(&writer, &(struct stmlog_entry_record){.count = 1, .lost_ns = 9});
	writer_total(&writer, 0, 0, 1, 9);
	writer_total(&writer, UINT32_MAX, UINT32_MAX, 0, 0);
	json_t *object = exported_now();
	assert_time(named(object, "total/wall"), 77);
	assert_time(named(object, "self-abort/write-write/unknown < unknown"), 9);
	json_t *context = json_object_get(object, "context");
	assert_string_equal(json_string_value(json_object_get(context, "times")), "lost in the run");
	json_decref(object);
}

TEST(an_estimate_is_of_all_transactions)
{
	recording_sample_weighed(&writer);
	json_t *object = exported_now();
	json_t *total = named(object, "total/lost");
	assert_int_equal(number(total, "iterations"), SAMPLE_WEIGHT * 61234);
	assert_int_equal(number(total, "lost_ns"), SAMPLE_WEIGHT * 5950000);
	assert_in_range(number(total, "lost_low_ns"), 86e6, 88e6);
	assert_in_range(number(total, "lost_high_ns"), 103e6, 105e6);
	json_decref(object);
}

TEST(the_costliest_have_results_and_equal_names_one)
{
	for (uint32_t keys = 49; keys <= 51; keys++) {
		writer_init(&writer);
		for (uint32_t i = 0; i < 2 * keys; i++) {
			uint32_t site = writer_place(&writer, "f", i < keys ? "a/a.c" : "b/a.c", 1 + i % keys);
			uint32_t traceback = writer_traceback(&writer, &site, 1, 0);
			writer_entry(&writer, &(struct stmlog_entry_record){
						      .local = traceback, .count = 1, .lost_ns = 1000 - i % keys});
		}
		writer_total(&writer, UINT32_MAX, UINT32_MAX, 0, 0);
		json_t *object = exported_now();
		assert_int_equal(json_array_size(json_object_get(object, "benchmarks")), 3 + (keys < 50 ? keys : 50));
		json_t *first = named(object, "self-abort/write-write/f a.c:1 < unknown");
		assert_int_equal(number(first, "lost_ns"), 2000);
		json_decref(object);
	}
}

TEST(names_of_any_bytes_are_strings)
{
	static const char *const names[] = {"a\"b", "new\nline", "back\\", "\x01\x1b\x7f", "\xff\xfe", "\xc3(", ""};
	writer_init(&writer);
	writer_info(&writer, "program=/bin/\"x\\\n\xff\x01");
	writer_info(&writer, "runtime=\"\xff");
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		uint32_t site = writer_place(&writer, names[i], names[i], 7);
		uint32_t traceback = writer_traceback(&writer, &site, 1, 0);
		writer_entry(&writer, &(struct stmlog_entry_record){
					      .reason = 99, .contention = 99, .local = traceback, .lost_ns = 1});
	}
	writer_total(&writer, UINT32_MAX, UINT32_MAX, 0, 0);
	json_t *object = exported_now();
	named(object, "?/?/a\"b a\"b:7 < unknown");
	named(object, "?/?/new?line new?line:7 < unknown");
	json_decref(object);
}
