/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "child.h"
#include "fit.h"
#include "test.h"

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

TEST_STOPPED("fit.c", an_empty_text_has_no_first_character)
{
	size_t columns;
	fit_character("", &columns);
}
