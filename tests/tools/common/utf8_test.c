/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "utf8.h"

#define BAD "\xef\xbf\xbd"

static void expect(const char *text, enum utf8_controls controls, const char *clean)
{
	char *found = utf8_clean(text, controls);
	assert_string_equal(found, clean);
	free(found);
}

static void valid_text_is_left_alone(void **state)
{
	(void)state;
	static const char *const texts[] = {
		"", "bank", "aud\xc3\xaft", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		expect(texts[i], UTF8_HIDE_CONTROLS, texts[i]);
}

static void each_byte_that_is_no_text_is_replaced(void **state)
{
	(void)state;
	expect("\xff", UTF8_KEEP_CONTROLS, BAD);
	expect("a\x80z", UTF8_KEEP_CONTROLS, "a" BAD "z");
	expect("\xc3", UTF8_KEEP_CONTROLS, BAD);                         /* cut */
	expect("\xe2\x82", UTF8_KEEP_CONTROLS, BAD BAD);                 /* cut */
	expect("\xc0\xaf", UTF8_KEEP_CONTROLS, BAD BAD);                 /* overlong */
	expect("\xed\xa0\x80", UTF8_KEEP_CONTROLS, BAD BAD BAD);         /* a surrogate */
	expect("\xf4\x90\x80\x80", UTF8_KEEP_CONTROLS, BAD BAD BAD BAD); /* above U+10FFFF */
	expect("\xc3(", UTF8_KEEP_CONTROLS, BAD "(");
}

static void control_characters_never_reach_a_terminal(void **state)
{
	(void)state;
	expect("a\033[31mb\n\x7f", UTF8_HIDE_CONTROLS, "a?[31mb??");
	expect("\xc2\x9b"
	       "31m",
		UTF8_HIDE_CONTROLS, "?31m"); /* the one-character form of ESC [ */
	expect("\033\n", UTF8_KEEP_CONTROLS, "\033\n");
}

static void whatever_comes_out_is_a_json_string(void **state)
{
	(void)state;
	uint64_t seed = 42;
	for (int round = 0; round < 5000; round++) {
		char text[12];
		for (size_t i = 0; i < sizeof text - 1; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			text[i] = (char)(seed >> 56);
		}
		text[sizeof text - 1] = '\0';
		char *clean = utf8_clean(text, round % 2 == 0 ? UTF8_KEEP_CONTROLS : UTF8_HIDE_CONTROLS);
		json_t *value = json_string(clean);
		assert_non_null(value);
		json_decref(value);
		free(clean);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(valid_text_is_left_alone),
		cmocka_unit_test(each_byte_that_is_no_text_is_replaced),
		cmocka_unit_test(control_characters_never_reach_a_terminal),
		cmocka_unit_test(whatever_comes_out_is_a_json_string),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
