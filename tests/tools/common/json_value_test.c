/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "json_value.h"
#include "test.h"

TEST(characters_that_act_are_escapes_of_the_same_value)
{
	static const char name[] = "a\x1b\x7f\xc2\x9b\xe2\x80\xae\xe2\x80\xa8\xef\xbb\xbf\xc3\xa9\n";
	json_t *value = json_pack("[o]", string(name));
	char *text = json_value_text(value, JSON_COMPACT);
	assert_string_equal(text, "[\"a\\u001B\\u007F\\u009B\\u202E\\u2028\\uFEFF\xc3\xa9\\n\"]");
	json_t *again = json_loads(text, 0, NULL);
	assert_string_equal(json_string_value(json_array_get(again, 0)), name);
	json_decref(again);
	json_decref(value);
	free(text);
}

TEST(what_is_written_is_laid_out_as_it_was)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	json_value_write(out, json_pack("{s:i}", "key", 1), JSON_INDENT(1));
	json_value_write(out, NULL, 0);
	fclose(out);
	assert_string_equal(text, "{\n \"key\": 1\n}null");
	free(text);
}
