/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "json_value.h"
#include "test.h"

/* Owned. */
static char *text_of(json_t *value, size_t flags)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	json_value_write(out, json_incref(value), flags);
	fclose(out);
	return text;
}

TEST(characters_that_act_are_escapes_of_the_same_value)
{
	static const char name[] = "a\x1b\x7f\xc2\x9b\xe2\x80\xae\xe2\x80\xa8\xef\xbb\xbf\xc3\xa9\n";
	json_auto_t *value = json_pack("[o]", string(name));
	OWNED(owned_free) char *text = text_of(value, JSON_COMPACT);
	assert_string_equal(text, "[\"a\\u001B\\u007F\\u009B\\u202E\\u2028\\uFEFF\xc3\xa9\\n\"]");
	json_auto_t *again = json_loads(text, 0, NULL);
	assert_string_equal(json_string_value(json_array_get(again, 0)), name);
}

TEST(what_is_written_is_laid_out_as_it_was)
{
	OWNED(owned_free) char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	json_value_write(out, json_pack("{s:i}", "key", 1), JSON_INDENT(1));
	json_value_write(out, NULL, 0);
	fclose(out);
	assert_string_equal(text, "{\n \"key\": 1\n}null");
}

static void assert_same_layout(json_t *value, size_t flags)
{
	OWNED(owned_free) char *ours = text_of(value, flags), *theirs = json_dumps(value, flags);
	assert_string_equal(ours, theirs);
}

TEST(the_layout_is_that_of_jansson)
{
	json_auto_t *value =
		json_pack("{s:[], s:{}, s:[i, b, b, n, f, f], s:{s:s, s:[[I]]}}", "none", "nothing", "some", -17, 1, 0,
			0.1, 1e-9, "nested", "te\"xt", "\b\t\n\f\r\x01 \"quoted\" \\ / \xc3\xa9", "deep", INT64_MAX);
	assert_same_layout(value, 0);
	assert_same_layout(value, JSON_COMPACT);
	assert_same_layout(value, JSON_INDENT(1));
	assert_same_layout(value, JSON_INDENT(3) | JSON_REAL_PRECISION(6));
}

TEST(a_text_of_any_length_is_written_as_a_whole)
{
	enum { MAX = 9000 };
	OWNED(owned_free) char *text = calloc(1, MAX + 1);
	for (size_t len = 0; len <= MAX; len += len < 4 ? 1 : len / 3) {
		memset(text, 'a', len);
		json_auto_t *value = json_pack("[s, s, s]", text, "b", text);
		assert_same_layout(value, 0);
	}
}

TEST(a_raw_value_is_part_of_many_and_of_the_same_text)
{
	json_t *raw = json_value_raw(json_pack("{s:[s, i]}", "key", "a\"b", 7));
	json_auto_t *value = json_pack("[O, {s:O}, o]", raw, "again", raw, raw);
	OWNED(owned_free) char *text = text_of(value, 0);
	const char *once = "{\"key\": [\"a\\\"b\", 7]}";
	char expected[200];
	snprintf(expected, sizeof expected, "[%s, {\"again\": %s}, %s]", once, once, once);
	assert_string_equal(text, expected);
}
