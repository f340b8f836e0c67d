/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "child.h"
#include "test.h"
#include "utf8.h"

/* ---- made valid ---- */

#define BAD "\xef\xbf\xbd"

static void expect_clean(const char *text, enum utf8_controls controls, const char *clean)
{
	OWNED(owned_free) char *found = utf8_clean(text, controls);
	assert_string_equal(found, clean);
}

TEST(valid_text_is_left_alone)
{
	static const char *const texts[] = {
		"", "bank", "aud\xc3\xaft", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		expect_clean(texts[i], UTF8_HIDE_CONTROLS, texts[i]);
}

TEST(each_byte_that_is_no_text_is_replaced)
{
	expect_clean("\xff", UTF8_KEEP_CONTROLS, BAD);
	expect_clean("a\x80z", UTF8_KEEP_CONTROLS, "a" BAD "z");
	expect_clean("\xc3", UTF8_KEEP_CONTROLS, BAD);                         /* cut */
	expect_clean("\xe2\x82", UTF8_KEEP_CONTROLS, BAD BAD);                 /* cut */
	expect_clean("\xc0\xaf", UTF8_KEEP_CONTROLS, BAD BAD);                 /* overlong */
	expect_clean("\xed\xa0\x80", UTF8_KEEP_CONTROLS, BAD BAD BAD);         /* a surrogate */
	expect_clean("\xf4\x90\x80\x80", UTF8_KEEP_CONTROLS, BAD BAD BAD BAD); /* above U+10FFFF */
	expect_clean("\xc3(", UTF8_KEEP_CONTROLS, BAD "(");
}

TEST(control_characters_never_reach_a_terminal)
{
	expect_clean("a\033[31mb\n\x7f", UTF8_HIDE_CONTROLS, "a?[31mb??");
	expect_clean("\xc2\x9b"
		     "31m",
		UTF8_HIDE_CONTROLS, "?31m"); /* the one-character form of ESC [ */
	expect_clean("\033\n", UTF8_KEEP_CONTROLS, "\033\n");
}

TEST(no_character_acts_on_the_text_around_it)
{
	static const char *const acting[] = {"\xc2\x80", "\xc2\x9f", "\x7f", "\xd8\x9c", "\xe2\x80\x8e", "\xe2\x80\x8f",
		"\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xaa", "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x81\xa9",
		"\xef\xbb\xbf"};
	static const char *const beside[] = {
		"~", "\xc2\xa0", "\xe2\x80\x8d", "\xe2\x80\xa7", "\xe2\x80\xaf", "\xe2\x81\xa5", "\xe2\x81\xaa"};
	for (size_t i = 0; i < sizeof acting / sizeof acting[0]; i++)
		expect_clean(acting[i], UTF8_HIDE_CONTROLS, "?");
	for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++)
		expect_clean(beside[i], UTF8_HIDE_CONTROLS, beside[i]);
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

/* ---- width in columns, and names cut ---- */

#define QUALIFIED "book.cc:9 exchange::orders::Book::place"
#define TWO "book.cc:61 place_the_order_into_the_book, book.cc:85 audit_all"
#define TEMPLATE "x.cc:9 std::map<std::pair<int, long>, x>::find"
#define WIDE "\346\227\245\346\234\254\346\227\245\346\234\254\346\227\245\346\234\254\346\227\245\346\234\254"

struct cut {
	const char *text;
	size_t width;
	const char *cut;
};

static void expect(const struct cut *cuts, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		char text[100];
		strcpy(text, cuts[i].text);
		assert_string_equal(cut_name(text, cuts[i].width), cuts[i].cut);
	}
}

TEST(qualifiers_go_from_the_outermost_one_on)
{
	static const struct cut cuts[] = {{QUALIFIED, 39, QUALIFIED},
		{QUALIFIED, 38, "book.cc:9 ..orders::Book::place"}, {QUALIFIED, 30, "book.cc:9 ..Book::place"},
		{QUALIFIED, 22, "book.cc:9 ..place"}, {TEMPLATE, 45, "x.cc:9 ..map<std::pair<int, long>, x>::find"},
		{TEMPLATE, 40, "x.cc:9 ..find"}};
	expect(cuts, sizeof cuts / sizeof cuts[0]);
}

TEST(of_other_names_the_middle_goes)
{
	static const struct cut cuts[] = {{"apply_all_pending_orders", 15, "apply_.._orders"},
		{TWO, 50, "book.cc:61 place_th..he_book, book.cc:85 audit_all"},
		{"a_file_with_a_long_name.c:61 place_the_order, x", 44, "a_file_with_a_long_name.c:61 place..order, x"},
		{TWO, 37, "book.cc:61 place..book, book.cc:85.."},
		{WIDE, 14, "\346\227\245\346\234\254\346\227\245..\346\234\254\346\227\245\346\234\254"}};
	expect(cuts, sizeof cuts / sizeof cuts[0]);
}

TEST(namespaces_go_alone_and_then_the_end)
{
	char text[] = "it writes what a::b::put_the_order uses at other::call_it b.cc:9";
	assert_string_equal(
		cut_namespaces(text, 63), "it writes what ..b::put_the_order uses at other::call_it b.cc:9");
	assert_string_equal(cut_namespaces(text, 55), "it writes what ..put_the_order uses at ..call_it b.cc:9");
	assert_string_equal(cut_namespaces(text, 30), "it writes what ..put_the_ord..");
}

TEST(no_text_is_wider_than_its_room)
{
	static const char *const texts[] = {"", "a", "a b c d e f g h i j k l m", QUALIFIED, TWO, TEMPLATE, WIDE,
		"::a::b", "<<<<<<<<<<<<<<<<", "a::"};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		for (size_t width = 0; width < 70; width++) {
			char text[100];
			strcpy(text, texts[i]);
			assert_true(fit_width(cut_name(text, width)) <= width);
			assert_true(fit_width(texts[i]) > width || strcmp(text, texts[i]) == 0);
			strcpy(text, texts[i]);
			assert_true(fit_width(cut_namespaces(text, width)) <= width);
		}
}

TEST_STOPPED("utf8.c", an_empty_text_has_no_first_character)
{
	size_t columns;
	fit_character("", &columns);
}
