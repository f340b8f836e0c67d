/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cut_name.h"
#include "fit.h"

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

static void qualifiers_go_from_the_outermost_one_on(void **state)
{
	static const struct cut cuts[] = {{QUALIFIED, 39, QUALIFIED},
		{QUALIFIED, 38, "book.cc:9 ..orders::Book::place"}, {QUALIFIED, 30, "book.cc:9 ..Book::place"},
		{QUALIFIED, 22, "book.cc:9 ..place"}, {TEMPLATE, 45, "x.cc:9 ..map<std::pair<int, long>, x>::find"},
		{TEMPLATE, 40, "x.cc:9 ..find"}};
	(void)state;
	expect(cuts, sizeof cuts / sizeof cuts[0]);
}

static void of_other_names_the_middle_goes(void **state)
{
	static const struct cut cuts[] = {{"apply_all_pending_orders", 15, "apply_.._orders"},
		{TWO, 50, "book.cc:61 place_th..he_book, book.cc:85 audit_all"},
		{"a_file_with_a_long_name.c:61 place_the_order, x", 44, "a_file_with_a_long_name.c:61 place..order, x"},
		{TWO, 37, "book.cc:61 place..book, book.cc:85.."},
		{WIDE, 14, "\346\227\245\346\234\254\346\227\245..\346\234\254\346\227\245\346\234\254"}};
	(void)state;
	expect(cuts, sizeof cuts / sizeof cuts[0]);
}

static void no_text_is_wider_than_its_room(void **state)
{
	static const char *const texts[] = {"", "a", "a b c d e f g h i j k l m", QUALIFIED, TWO, TEMPLATE, WIDE,
		"::a::b", "<<<<<<<<<<<<<<<<", "a::"};
	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		for (size_t width = 0; width < 70; width++) {
			char text[100];
			strcpy(text, texts[i]);
			assert_true(fit_width(cut_name(text, width)) <= width);
			assert_true(fit_width(texts[i]) > width || strcmp(text, texts[i]) == 0);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(qualifiers_go_from_the_outermost_one_on),
		cmocka_unit_test(of_other_names_the_middle_goes),
		cmocka_unit_test(no_text_is_wider_than_its_room),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
