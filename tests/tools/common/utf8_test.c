/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "test.h"
#include "utf8.h"

#define BAD "\xef\xbf\xbd"

static void expect(const char *text, enum utf8_controls controls, const char *clean)
{
	OWNED(owned_free) char *found = utf8_clean(text, controls);
	assert_string_equal(found, clean);
}

TEST(valid_text_is_left_alone)
{
	static const char *const texts[] = {
		"", "bank", "aud\xc3\xaft", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		expect(texts[i], UTF8_HIDE_CONTROLS, texts[i]);
}

TEST(each_byte_that_is_no_text_is_replaced)
{
	expect("\xff", UTF8_KEEP_CONTROLS, BAD);
	expect("a\x80z", UTF8_KEEP_CONTROLS, "a" BAD "z");
	expect("\xc3", UTF8_KEEP_CONTROLS, BAD);                         /* cut */
	expect("\xe2\x82", UTF8_KEEP_CONTROLS, BAD BAD);                 /* cut */
	expect("\xc0\xaf", UTF8_KEEP_CONTROLS, BAD BAD);                 /* overlong */
	expect("\xed\xa0\x80", UTF8_KEEP_CONTROLS, BAD BAD BAD);         /* a surrogate */
	expect("\xf4\x90\x80\x80", UTF8_KEEP_CONTROLS, BAD BAD BAD BAD); /* above U+10FFFF */
	expect("\xc3(", UTF8_KEEP_CONTROLS, BAD "(");
}

TEST(control_characters_never_reach_a_terminal)
{
	expect("a\033[31mb\n\x7f", UTF8_HIDE_CONTROLS, "a?[31mb??");
	expect("\xc2\x9b"
	       "31m",
		UTF8_HIDE_CONTROLS, "?31m"); /* the one-character form of ESC [ */
	expect("\033\n", UTF8_KEEP_CONTROLS, "\033\n");
}

TEST(no_character_acts_on_the_text_around_it)
{
	static const char *const acting[] = {"\xc2\x80", "\xc2\x9f", "\x7f", "\xd8\x9c", "\xe2\x80\x8e", "\xe2\x80\x8f",
		"\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xaa", "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x81\xa9",
		"\xef\xbb\xbf"};
	static const char *const beside[] = {
		"~", "\xc2\xa0", "\xe2\x80\x8d", "\xe2\x80\xa7", "\xe2\x80\xaf", "\xe2\x81\xa5", "\xe2\x81\xaa"};
	for (size_t i = 0; i < sizeof acting / sizeof acting[0]; i++)
		expect(acting[i], UTF8_HIDE_CONTROLS, "?");
	for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++)
		expect(beside[i], UTF8_HIDE_CONTROLS, beside[i]);
}

TEST(a_text_can_be_hidden_where_it_is)
{
	char text[] = "a\x1b\xc2\x9b\xff\xe2\x80\xae\xc3\xa9\xe2\x82";
	utf8_hide(text);
	assert_string_equal(text, "a????\xc3\xa9??");
}

TEST(whatever_comes_out_is_a_json_string)
{
	uint64_t seed = 42;
	for (int round = 0; round < 5000; round++) {
		char text[12];
		for (size_t i = 0; i < sizeof text - 1; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			text[i] = (char)(seed >> 56);
		}
		text[sizeof text - 1] = '\0';
		OWNED(owned_free)
		char *clean = utf8_clean(text, round % 2 == 0 ? UTF8_KEEP_CONTROLS : UTF8_HIDE_CONTROLS);
		json_auto_t *value = json_string(clean);
		assert_non_null(value);
	}
}
