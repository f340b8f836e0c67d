/* SPDX-License-Identifier: MIT
 * Timelines as Chrome's trace events: valid JSON for any names, and an end for each beginning. */
#include "exported.h"

#include <jansson.h>

static struct writer writer;

static json_t *parsed(void)
{
	char *text = exported_text(&writer, "chrome");
	json_error_t error;
	json_t *object = json_loads(text, 0, &error);
	if (object == NULL)
		fail_msg("%s in: %s", error.text, text);
	free(text);
	return object;
}

static json_t *sample(void)
{
	write_sample(&writer, "transfer", "sweep");
	return parsed();
}

static const char *word(const json_t *event, const char *name)
{
	const char *text = json_string_value(json_object_get(event, name));
	return text != NULL ? text : "";
}

static bool is_phase(const json_t *event, const char *phase)
{
	return strcmp(word(event, "ph"), phase) == 0;
}

static long long thread_of(const json_t *event)
{
	return json_integer_value(json_object_get(event, "tid"));
}

static json_t *events_of(const json_t *object)
{
	return json_object_get(object, "traceEvents");
}

/* The n-th event of this phase and category; there is one. */
static json_t *event_of(const json_t *object, const char *phase, const char *category, int n)
{
	size_t i;
	json_t *event;
	json_array_foreach(events_of(object), i, event)
	{
		if (is_phase(event, phase) && strcmp(word(event, "cat"), category) == 0 && n-- == 0)
			return event;
	}
	fail_msg("no %s of phase %s", category, phase);
	return NULL;
}

static void assert_arg(const json_t *event, const char *name, const char *expected)
{
	assert_string_equal(word(json_object_get(event, "args"), name), expected);
}

static void what_begins_on_a_thread_ends_there(void **state)
{
	(void)state;
	json_t *object = sample(), *event;
	int depth[3] = {0}, begun = 0;
	size_t i;
	json_array_foreach(events_of(object), i, event)
	{
		int change = is_phase(event, "B") - is_phase(event, "E");
		if (change == 0)
			continue;
		depth[thread_of(event)] += change;
		begun += change > 0;
		assert_true(depth[thread_of(event)] >= 0);
	}
	assert_int_equal(depth[1], 0);
	assert_int_equal(depth[2], 0);
	assert_int_equal(begun, SAMPLE_BARS - 4 + 2 * SAMPLE_ARROWS); /* both ends of an arrow are bars */
	json_decref(object);
}

static void other_rows_begin_and_end_by_themselves(void **state)
{
	(void)state;
	json_t *object = sample();
	static const char *const rows[] = {"task", "touch", "region", "region"};
	static const int nth[] = {0, 0, 0, 1};
	for (int i = 0; i < 4; i++) {
		json_t *begin = event_of(object, "b", rows[i], nth[i]), *end = event_of(object, "e", rows[i], nth[i]);
		assert_string_equal(word(begin, "id"), word(end, "id"));
		assert_string_equal(word(begin, "name"), word(end, "name"));
		assert_int_equal(thread_of(begin), 1);
	}
	assert_string_not_equal(
		word(event_of(object, "b", "task", 0), "id"), word(event_of(object, "b", "touch", 0), "id"));
	json_decref(object);
}

static void times_have_all_their_nanoseconds(void **state)
{
	(void)state;
	write_sample(&writer, "transfer", "sweep");
	char *text = exported_text(&writer, "chrome");
	assert_non_null(strstr(text, "\"ts\":1.001,"));
	assert_non_null(strstr(text, "\"ts\":2.030}"));
	assert_non_null(strstr(text, "\"ts\":2.092}")); /* the end of the gap */
	free(text);
}

static void what_was_before_the_beginning_is_less_than_nothing(void **state)
{
	(void)state;
	write_sample(&writer, "transfer", "sweep");
	writer_info(&writer, "began_ns=2000002000");
	char *text = exported_text(&writer, "chrome");
	assert_non_null(strstr(text, "\"ts\":-0.999,"));
	assert_non_null(strstr(text, "\"ts\":0.030}"));
	free(text);
}

static void arrows_lie_in_bars_of_culprit_and_victim(void **state)
{
	(void)state;
	json_t *object = sample(), *event;
	size_t i, begun = 0, ended = 0;
	json_array_foreach(events_of(object), i, event)
	{
		const json_t *around = i > 0 ? json_array_get(events_of(object), i - 1) : NULL;
		if (!is_phase(event, "s") && !is_phase(event, "f"))
			continue;
		assert_true(is_phase(around, "B"));
		assert_true(json_equal(json_object_get(around, "ts"), json_object_get(event, "ts")));
		assert_int_equal(thread_of(around), thread_of(event));
		assert_int_equal(thread_of(event), is_phase(event, "s") ? 1 : 2);
		begun += is_phase(event, "s");
		ended += is_phase(event, "f");
	}
	assert_int_equal(begun, SAMPLE_ARROWS);
	assert_int_equal(ended, SAMPLE_ARROWS);
	json_decref(object);
}

static void events_say_what_they_are(void **state)
{
	(void)state;
	json_t *object = sample();
	json_t *aborted = event_of(object, "B", "transaction", 1);
	assert_string_equal(word(aborted, "name"), "transfer: aborted because of thread 1, write-read");
	assert_arg(aborted, "fate", "abort");
	assert_arg(aborted, "object", "0x1230");
	assert_arg(event_of(object, "B", "transaction", 0), "fate", "commit");
	json_t *count = event_of(object, "C", "", 1);
	assert_string_equal(word(count, "name"), "sweep");
	assert_int_equal(json_integer_value(json_object_get(json_object_get(count, "args"), "value")), INT64_MAX);
	assert_string_equal(word(event_of(object, "i", "mark", 0), "name"), "sweep");
	assert_string_equal(word(event_of(object, "i", "commit", 0), "name"), "commit"); /* its start is lost */
	json_decref(object);
}

static void names_of_any_bytes_are_valid_json(void **state)
{
	(void)state;
	write_sample(&writer, "tr\"an\\s\n\x1b\xff", "</script>\xc3\x01");
	json_t *object = parsed();
	assert_string_equal(
		word(event_of(object, "B", "transaction", 0), "name"), "tr\"an\\s??\xef\xbf\xbd: committed");
	assert_string_equal(word(event_of(object, "b", "region", 0), "name"), "</script>\xef\xbf\xbd?");
	json_decref(object);
}

static void a_timeline_of_no_events_is_one(void **state)
{
	(void)state;
	recording_sample(&writer);
	writer_append(&writer, STMLOG_SECTION_EVENTS, "", 0);
	json_t *object = parsed(), *event;
	size_t i;
	assert_true(json_array_size(events_of(object)) > 0);
	json_array_foreach(events_of(object), i, event) assert_true(is_phase(event, "M"));
	json_decref(object);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_begins_on_a_thread_ends_there),
		cmocka_unit_test(other_rows_begin_and_end_by_themselves),
		cmocka_unit_test(times_have_all_their_nanoseconds),
		cmocka_unit_test(what_was_before_the_beginning_is_less_than_nothing),
		cmocka_unit_test(arrows_lie_in_bars_of_culprit_and_victim),
		cmocka_unit_test(events_say_what_they_are),
		cmocka_unit_test(names_of_any_bytes_are_valid_json),
		cmocka_unit_test(a_timeline_of_no_events_is_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
