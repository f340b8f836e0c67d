/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "json_text.h"
#include "random.h"

enum { ROOM = 1 << 20 };

static char text[ROOM];
static size_t text_len;

static void append(void *arg, const char *bytes, size_t len)
{
	assert_ptr_equal(arg, text);
	assert_true(len < ROOM - text_len);
	memcpy(text + text_len, bytes, len);
	text_len += len;
	text[text_len] = '\0';
}

/* Releases the value. */
static const char *text_of(json_t *value, int digits)
{
	text_len = 0;
	text[0] = '\0';
	json_text_write(value, digits, append, text);
	json_decref(value);
	return text;
}

/* Any characters but those that JSON has not at all. */
static json_t *random_string(struct random *random)
{
	static const char *const pieces[] = {"a", "\"", "\\", "/", "\n", "\t", "\r", "\b", "\f", "\x01", "\x1f", "\x7f",
		"\303\266", "\360\237\230\200"};
	char string[64] = "";
	for (uint32_t i = random_below(random, 12); i > 0; i--)
		strcat(string, pieces[random_below(random, sizeof pieces / sizeof pieces[0])]);
	return json_string(string);
}

static json_t *random_number(struct random *random)
{
	static const json_int_t integers[] = {0, 1, -1, 9, 10, INT64_MAX, INT64_MIN, -1234567890123};
	static const double reals[] = {0, 0.5, -1.0 / 3, 1e300, 123456789.0, 1e-9, 100};
	if (random_below(random, 2) == 0)
		return json_integer(integers[random_below(random, sizeof integers / sizeof integers[0])]);
	return json_real(reals[random_below(random, sizeof reals / sizeof reals[0])]);
}

static json_t *random_value(struct random *random, unsigned depth)
{
	uint32_t kind = random_below(random, depth > 0 ? 7 : 5);
	if (kind < 3)
		return kind == 0 ? random_string(random) : kind == 1 ? random_number(random) : json_null();
	if (kind < 5)
		return json_boolean(kind == 3);
	json_t *value = kind == 5 ? json_array() : json_object();
	for (uint32_t i = random_below(random, 5); i > 0; i--) {
		json_t *key = random_string(random);
		if (kind == 5)
			json_array_append_new(value, random_value(random, depth - 1));
		else
			json_object_set_new(value, json_string_value(key), random_value(random, depth - 1));
		json_decref(key);
	}
	return value;
}

static void any_value_is_as_jansson_writes_it(void **state)
{
	(void)state;
	struct random random = {7};
	for (int i = 0; i < 5000; i++) {
		json_t *value = random_value(&random, 4);
		char *expected = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
		assert_non_null(expected);
		assert_string_equal(text_of(value, 6), expected);
		free(expected);
	}
}

static void a_text_longer_than_what_is_written_at_a_time_is_whole(void **state)
{
	(void)state;
	static char string[100000];
	memset(string, 'x', sizeof string - 1);
	json_t *array = json_array();
	json_array_append_new(array, json_integer(1));
	json_array_append_new(array, json_string(string));
	json_array_append_new(array, json_integer(2));
	assert_int_equal(strlen(text_of(array, 0)), sizeof string - 1 + strlen("[1, \"\", 2]"));
	assert_string_equal(text + text_len - 5, "\", 2]");
}

static void a_raw_text_is_written_as_it_is(void **state)
{
	(void)state;
	json_t *array = json_array();
	json_array_append_new(array, json_text_raw("{\"a\": 1}, 2", 11));
	json_array_append_new(array, json_text_raw("3 and more", 1));
	assert_string_equal(text_of(array, 0), "[{\"a\": 1}, 2, 3]");
}

static void nothing_is_null(void **state)
{
	(void)state;
	assert_string_equal(text_of(NULL, 0), "null");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_value_is_as_jansson_writes_it),
		cmocka_unit_test(a_text_longer_than_what_is_written_at_a_time_is_whole),
		cmocka_unit_test(a_raw_text_is_written_as_it_is),
		cmocka_unit_test(nothing_is_null),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
