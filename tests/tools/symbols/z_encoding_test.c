/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "test.h"
#include "utf8.h"
#include "z_encoding.h"

static void expect_decoded(const char *text, const char *expected)
{
	char *decoded = z_decoded(text, strlen(text));
	if (expected != NULL)
		assert_string_equal(decoded, expected);
	else
		assert_null(decoded);
	free(decoded);
}

/* What letters[i] is for behind `first` is characters[i]. */
static void expect_one(char first, char second, const char *letters, const char *characters)
{
	const char *found = strchr(letters, second);
	expect_decoded(
		(char[]){first, second, '\0'}, found != NULL ? (char[]){characters[found - letters], '\0'} : NULL);
}

TEST(each_character_has_its_letters)
{
	expect_decoded("zazbzczdzezgzhzizlzmznzpzqzrzsztzuzvzz", "&|^$=>#.<-!+'\\/*_%z");
	expect_decoded("ZLZRZMZNZCZZ", "()[]:Z");
	expect_decoded("azzZZz", NULL);
	expect_decoded("plain", "plain");
	expect_decoded("", "");
	for (char c = 'a'; c <= 'z'; c++)
		expect_one('z', c, "abcdeghilmnpqrstuvz", "&|^$=>#.<-!+'\\/*_%z");
	for (char c = 'A'; c <= 'Z'; c++)
		expect_one('Z', c, "LRMNCZ", "()[]:Z");
}

TEST(a_number_is_the_character_of_that_code)
{
	expect_decoded("z1U", "\x01");
	expect_decoded("z41U", "A");
	expect_decoded("z7fU", "\x7f");
	expect_decoded("z80U", "\xc2\x80");
	expect_decoded("z03bbUx", "\xce\xbbx");
	expect_decoded("z7ffU", "\xdf\xbf");
	expect_decoded("z800U", "\xe0\xa0\x80");
	expect_decoded("z0ffffU", "\xef\xbf\xbf");
	expect_decoded("z10000U", "\xf0\x90\x80\x80");
	expect_decoded("z10ffffU", "\xf4\x8f\xbf\xbf");
	expect_decoded("z110000U", NULL);
	expect_decoded("z0d800U", NULL);
	expect_decoded("z0dfffU", NULL);
	expect_decoded("z0d7ffU", "\xed\x9f\xbf");
	expect_decoded("z0e000U", "\xee\x80\x80");
	expect_decoded("z0U", NULL);
	expect_decoded("z99999999999999999999U", NULL);
	expect_decoded("z41", NULL);
	expect_decoded("z41V", NULL);
	expect_decoded("z4AU", NULL);
	expect_decoded("zU", NULL);
	expect_decoded("zffU", NULL);
}

TEST(tuples_have_their_commas)
{
	expect_decoded("Z0T", "()");
	expect_decoded("Z2T", "(,)");
	expect_decoded("Z3T", "(,,)");
	expect_decoded("Z1H", "(# #)");
	expect_decoded("Z2H", "(#,#)");
	expect_decoded("aZ2Tb", "a(,)b");
	char largest[] = "(...............................................................)";
	memset(largest + 1, ',', 63);
	expect_decoded("Z64T", largest);
	expect_decoded("Z65T", NULL);
	expect_decoded("Z4294967298T", NULL);
	expect_decoded("Z2", NULL);
	expect_decoded("Z2U", NULL);
}

static bool is_utf8(const char *text)
{
	size_t len = 1;
	uint32_t point;
	for (; *text != '\0' && len > 0; text += len)
		len = utf8_read(text, &point);
	return len > 0;
}

/* Of letters that mean something, in any order. */
TEST(any_text_is_a_name_in_utf8_or_none)
{
	static const char letters[] = "zzzzzZZTHU0123456789abcdefgm_";
	enum { TEXTS = 200000, LONGEST = 12 };
	struct random random = {1};
	size_t encoded = 0;
	for (int i = 0; i < TEXTS; i++) {
		char text[LONGEST];
		size_t len = random_below(&random, LONGEST);
		for (size_t k = 0; k < len; k++)
			text[k] = letters[random_below(&random, sizeof letters - 1)];
		char *name = z_decoded(text, len);
		encoded += name != NULL;
		assert_true(name == NULL || is_utf8(name));
		free(name);
	}
	assert_in_range(encoded, TEXTS / 100, TEXTS - TEXTS / 100);
}
