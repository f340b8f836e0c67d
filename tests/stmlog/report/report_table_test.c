/* SPDX-License-Identifier: MIT
 * Tables to the letter, in a terminal's width and out of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report_arena.h"
#include "report_table.h"

static char text[1024];
static struct printer printer;

static void append(void *unused, const char *bytes, size_t len)
{
	(void)unused;
	assert_true(strlen(text) + len < sizeof text);
	strncat(text, bytes, len);
}

static const struct table_column columns[] = {
	{"name", TABLE_LEFT}, {"n", TABLE_RIGHT}, {"what", TABLE_LEFT}, {"last", TABLE_RIGHT}, {0}};

/* Rows of four cells, the last of which begins with NULL. */
static void print(void *rows)
{
	struct report_table *table = report_table_create(&printer, columns);
	for (const char *const *row = rows; row[0] != NULL; row += 4)
		report_table_row(table, row);
	report_table_finish(&table);
	assert_null(table);
}

static void expect(const char **rows, const char *expected)
{
	text[0] = '\0';
	printer.write = append;
	assert_int_equal(report_arena_run(print, rows), 0);
	assert_string_equal(text, expected);
}

static void columns_are_as_wide_as_their_widest_cells(void **state)
{
	(void)state;
	printer = (struct printer){0};
	expect((const char *[]){"a", "1", "x y", "12,345", "longer name", "1,000", "", "7", NULL},
		"name             n  what    last\n"
		"a                1  x y   12,345\n"
		"longer name  1,000             7\n");
}

static void no_line_ends_in_spaces(void **state)
{
	(void)state;
	printer = (struct printer){0};
	expect((const char *[]){"a", "1", "x", "", "b", "", NULL, NULL, "", "", "", "", "b", "2", "xxxxx", "1", NULL},
		"name  n  what   last\n"
		"a     1  x\n"
		"b\n"
		"\n"
		"b     2  xxxxx     1\n");
}

static void without_rows_nothing_is_printed(void **state)
{
	(void)state;
	printer = (struct printer){0};
	expect((const char *[]){NULL}, "");
}

static void what_cannot_be_shown_is_a_number(void **state)
{
	(void)state;
	const char *rows[] = {"a\tb", "\\x", "\\y", "1", "f\303\266o", "2", "", "", NULL};
	printer = (struct printer){0};
	expect(rows, "name            n  what  last\n"
		     "a\\x09b      \\x5cx  \\y       1\n"
		     "f\\xc3\\xb6o      2\n");
	printer.is_utf8 = true;
	expect(rows, "name        n  what  last\n"
		     "a\\x09b  \\x5cx  \\y       1\n"
		     "f\303\266o         2\n");
}

static void in_a_terminal_the_widest_names_are_cut(void **state)
{
	(void)state;
	const char *rows[] = {"a name of 20 letters", "1", "nearly as long too", "1",
		"\303\266\303\266\303\266\303\266\303\266\303\266", "2", "", "9", NULL};
	printer = (struct printer){.width = 30, .is_utf8 = true};
	expect(rows, "name       n  what        last\n"
		     "a name of  1  nearly as      1\n"
		     "\303\266\303\266\303\266\303\266\303\266\303\266     2                 9\n");
	printer.width = 5;
	expect(rows, "name  n  what  last\n"
		     "a na  1  near     1\n"
		     "\303\266\303\266\303\266\303\266  2           9\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_as_wide_as_their_widest_cells),
		cmocka_unit_test(no_line_ends_in_spaces),
		cmocka_unit_test(without_rows_nothing_is_printed),
		cmocka_unit_test(what_cannot_be_shown_is_a_number),
		cmocka_unit_test(in_a_terminal_the_widest_names_are_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
