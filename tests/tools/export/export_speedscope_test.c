/* SPDX-License-Identifier: MIT
 * Losses for speedscope: valid JSON whatever names there are, and the figures of the recording. */
#include "exported.h"

#include <jansson.h>

static struct writer writer;
static json_t *object;

/* Exports the recording in the writer, and ends the writer. */
static void parse(void)
{
	char *text = exported_text(&writer, "speedscope");
	json_error_t error;
	object = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	if (object == NULL)
		fail_msg("%s in: %s", error.text, text);
	free(text);
}

static void tear_down(void)
{
	json_decref(object);
	object = NULL;
}

static const struct test_fixture fixture = {.tear_down = tear_down};

static const json_t *profile(size_t i)
{
	return json_array_get(json_object_get(object, "profiles"), i);
}

static const json_t *frame(size_t i)
{
	return json_array_get(json_object_get(json_object_get(object, "shared"), "frames"), i);
}

static const char *word(const json_t *of, const char *name)
{
	const char *text = json_string_value(json_object_get(of, name));
	return text != NULL ? text : "";
}

/* "worker;transfer 4000": the n-th sample of a profile. */
static const char *sample(size_t of, size_t n)
{
	static char text[1000];
	const json_t *stack = json_array_get(json_object_get(profile(of), "samples"), n);
	text[0] = '\0';
	for (size_t i = 0; i < json_array_size(stack); i++) {
		size_t used = strlen(text), number = (size_t)json_integer_value(json_array_get(stack, i));
		snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? ";" : "", word(frame(number), "name"));
	}
	size_t used = strlen(text);
	snprintf(text + used, sizeof text - used, " %lld",
		json_integer_value(json_array_get(json_object_get(profile(of), "weights"), n)));
	return text;
}

/* The events are as many as expected, and the first and last are where they should be. */
static void expect_sums(size_t of, size_t samples, long long sum)
{
	const json_t *weights = json_object_get(profile(of), "weights");
	long long found = 0;
	for (size_t i = 0; i < json_array_size(weights); i++)
		found += json_integer_value(json_array_get(weights, i));
	assert_int_equal(json_array_size(json_object_get(profile(of), "samples")), samples);
	assert_int_equal(json_array_size(weights), samples);
	assert_int_equal(found, sum);
	assert_int_equal(json_integer_value(json_object_get(profile(of), "startValue")), 0);
	assert_int_equal(json_integer_value(json_object_get(profile(of), "endValue")), sum);
}

TEST_WITH(fixture, profiles_have_time_culprits_and_counts)
{
	recording_sample(&writer);
	parse();
	expect_sums(0, 6, 5550000);
	expect_sums(1, 6, 5550000);
	expect_sums(2, 6, 2057);
	assert_string_equal(word(profile(0), "unit"), "nanoseconds");
	assert_string_equal(word(profile(1), "unit"), "nanoseconds");
	assert_string_equal(word(profile(2), "unit"), "none");
	assert_string_equal(sample(0, 1), "(cut);libc.so.6+0x29d90;audit bank.c:85 1000000");
	assert_string_equal(sample(1, 1),
		"(cut);libc.so.6+0x29d90;audit bank.c:85;--;transfer bank.c:61;worker bank.c:120;libc.so.6+0x29d90 "
		"1000000");
	assert_string_equal(sample(2, 1), "(cut);libc.so.6+0x29d90;audit bank.c:85 40");
	assert_string_equal(sample(1, 4), "libc.so.6+0x29d90;worker bank.c:120;transfer bank.c:61 50000");
	assert_string_equal(sample(1, 5), "(evicted) 100000");
}

TEST_WITH(fixture, each_cause_has_a_profile_the_costliest_first_and_so_has_what_was_evicted)
{
	static const struct {
		const char *name;
		long long sum;
	} expected[] = {{"time lost: self-abort, write-write", 4000000}, {"time lost: self-abort, write-read", 1000000},
		{"time lost: pause, write-read", 250000}, {"time lost: aborted-by-other, write-write", 150000},
		{"time lost: user-abort, none", 50000}, {"time lost: (evicted)", 100000}};
	const size_t causes = sizeof expected / sizeof expected[0];
	recording_sample(&writer);
	parse();
	assert_int_equal(json_array_size(json_object_get(object, "profiles")), 3 + causes);
	for (size_t i = 0; i < causes; i++) {
		assert_string_equal(word(profile(3 + i), "name"), expected[i].name);
		assert_string_equal(word(profile(3 + i), "unit"), "nanoseconds");
		expect_sums(3 + i, 1, expected[i].sum);
	}
	assert_string_equal(sample(4, 0), sample(1, 1));
}

/* Their rounded parts are those of the profile of all. */
TEST_WITH(fixture, the_estimates_of_all_causes_add_up)
{
	recording_sample_weighed(&writer);
	parse();
	long long sum = 0;
	size_t profiles = json_array_size(json_object_get(object, "profiles"));
	for (size_t i = 3; i < profiles; i++)
		sum += json_integer_value(json_object_get(profile(i), "endValue"));
	assert_int_equal(profiles, 9);
	assert_int_equal(sum, json_integer_value(json_object_get(profile(0), "endValue")));
}

TEST_WITH(fixture, causes_of_a_later_version_are_one_profile)
{
	writer_init(&writer);
	for (uint32_t i = 0; i < 3; i++)
		writer_entry(&writer, &(struct stmlog_entry_record){
					      .reason = 70 + i, .contention = 70 + i, .count = 1, .lost_ns = 5});
	writer_total(&writer, UINT32_MAX, UINT32_MAX, 0, 0);
	parse();
	assert_int_equal(json_array_size(json_object_get(object, "profiles")), 4);
	assert_string_equal(word(profile(3), "name"), "time lost: ?, ?");
	expect_sums(3, 3, 15);
}

TEST_WITH(fixture, the_file_says_whose_it_is)
{
	recording_sample(&writer);
	parse();
	assert_string_equal(word(object, "$schema"), "https://www.speedscope.app/file-format-schema.json");
	assert_string_equal(word(object, "exporter"), "stmlog@0.1.0");
	assert_string_equal(word(object, "name"), "bank");
}

TEST_WITH(fixture, frames_are_shared_and_have_their_places)
{
	recording_sample(&writer);
	parse();
	const json_t *frames = json_object_get(json_object_get(object, "shared"), "frames");
	for (size_t i = 0; i < json_array_size(frames); i++) {
		for (size_t k = 0; k < i; k++)
			assert_false(json_equal(frame(i), frame(k)));
	}
	assert_string_equal(word(frame(2), "name"), "transfer bank.c:61");
	assert_string_equal(word(frame(2), "file"), "bench/bank.c");
	assert_int_equal(json_integer_value(json_object_get(frame(2), "line")), 61);
	assert_string_equal(word(frame(0), "name"), "libc.so.6+0x29d90");
	assert_null(json_object_get(frame(0), "file"));
}

TEST_WITH(fixture, a_recording_of_nothing_has_empty_profiles)
{
	writer_init(&writer);
	writer_total(&writer, UINT32_MAX, UINT32_MAX, 0, 0);
	parse();
	for (size_t i = 0; i < 3; i++)
		expect_sums(i, 0, 0);
	assert_int_equal(json_array_size(json_object_get(json_object_get(object, "shared"), "frames")), 0);
}

TEST_WITH(fixture, what_was_evicted_is_a_sample)
{
	writer_init(&writer);
	writer_total(&writer, STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, 3, 500);
	writer_total(&writer, UINT32_MAX, UINT32_MAX, 3, 500);
	parse();
	expect_sums(0, 1, 500);
	expect_sums(2, 1, 3);
	assert_string_equal(sample(0, 0), "(evicted) 500");
}

TEST_WITH(fixture, sums_beyond_the_largest_number_are_that_one)
{
	writer_init(&writer);
	writer_total(&writer, UINT32_MAX, UINT32_MAX, 0, 0);
	for (int i = 0; i < 3; i++)
		writer_entry(
			&writer, &(struct stmlog_entry_record){.count = UINT64_MAX / 2, .lost_ns = UINT64_C(1) << 63});
	parse();
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(json_integer_value(json_object_get(profile(i), "endValue")), INT64_MAX);
}

TEST_WITH(fixture, names_of_any_bytes_are_valid_json)
{
	writer_init(&writer);
	writer_info(&writer, "program=/bin/ba\"nk\xff");
	writer_info(&writer, "version=\xc3\"");
	writer_total(&writer, UINT32_MAX, UINT32_MAX, 0, 0);
	uint32_t site = writer_place(&writer, "tr\"an\\s\n\x1b\xff", "</script>\xc3", 1);
	uint32_t traceback = writer_traceback(&writer, &site, 1, 0);
	writer_entry(&writer, &(struct stmlog_entry_record){.count = 1, .lost_ns = 7, .local = traceback});
	parse();
	assert_string_equal(word(object, "name"), "ba\"nk\xef\xbf\xbd");
	assert_string_equal(word(object, "exporter"), "stmlog@\xef\xbf\xbd\"");
	assert_string_equal(word(frame(0), "name"), "tr\"an\\s??\xef\xbf\xbd script>\xef\xbf\xbd:1");
	assert_string_equal(word(frame(0), "file"), "</script>\xef\xbf\xbd");
}

/* ---- all time ---- */

static void parse_of(enum export_of of)
{
	size_t len = 0;
	char *text = exported_view(&writer, "speedscope", (struct export_view){.of = of}, &len);
	object = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(object);
	free(text);
}

TEST_WITH(fixture, fble_speedscope_has_all_time_by_folded_path_and_each_part_of_it)
{
	static const char *const names[] = {"all by call path: time", "all by call path: committed",
		"all by call path: aborted", "all by call path: paused", "all by call path: waiting",
		"all by call path: entries"};
	static const long long sums[] = {6060, 5010, 1000, 30, 20, 20};
	recording_sample(&writer);
	write_paths(&writer);
	parse_of(EXPORT_OF_TIME);
	assert_int_equal(json_array_size(json_object_get(object, "profiles")), 6);
	for (size_t i = 0; i < 6; i++) {
		assert_string_equal(word(profile(i), "name"), names[i]);
		assert_string_equal(word(profile(i), "unit"), i < 5 ? "nanoseconds" : "none");
		expect_sums(i, i == 3 ? 1 : 5, sums[i]);
	}
	assert_string_equal(sample(0, 0), "(root) 1207");
	assert_string_equal(sample(0, 3), "main bank.c:9;leaf bank.c:5 1206");
	assert_string_equal(sample(3, 0), "main bank.c:9;audit bank.c:7 30");
}

TEST_WITH(fixture, speedscope_has_losses_and_then_all_time_where_paths_are_recorded)
{
	recording_sample(&writer);
	parse();
	size_t losses = json_array_size(json_object_get(object, "profiles"));
	json_decref(object);
	recording_sample(&writer);
	write_paths(&writer);
	parse();
	assert_int_equal(json_array_size(json_object_get(object, "profiles")), losses + 6);
	assert_string_equal(word(profile(losses), "name"), "all by call path: time");
	json_decref(object);
	recording_sample(&writer);
	write_paths(&writer);
	parse_of(EXPORT_OF_LOSS);
	assert_int_equal(json_array_size(json_object_get(object, "profiles")), losses);
}
