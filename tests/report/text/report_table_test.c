/* SPDX-License-Identifier: MIT
 * Tables to the letter, in a terminal's width and out of it. */
#include <string.h>

#include "printer.h"
#include "test.h"

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

struct print_of {
	const struct table_column *columns;
	size_t count;
	const char **rows; /* the last begins with NULL */
};

static void print(const struct print_of *of)
{
	struct report_table *table = report_table_create(&printer, of->columns);
	for (const char *const *row = of->rows; row[0] != NULL; row += of->count)
		report_table_row(table, row);
	report_table_finish(&table);
	assert_null(table);
}

static void expect_of(struct print_of *of, const char *expected)
{
	text[0] = '\0';
	printer.write = append;
	print(of);
	assert_string_equal(text, expected);
}

/* Rows of four cells. */
static void expect(const char **rows, const char *expected)
{
	expect_of(&(struct print_of){columns, 4, rows}, expected);
}

TEST(columns_are_as_wide_as_their_widest_cells)
{
	printer = (struct printer){0};
	expect((const char *[]){"a", "1", "x y", "12,345", "longer name", "1,000", "", "7", NULL},
		"name             n  what    last\n"
		"a                1  x y   12,345\n"
		"longer name  1,000             7\n");
}

TEST(no_line_ends_in_spaces)
{
	printer = (struct printer){0};
	expect((const char *[]){"a", "1", "x", "", "b", "", NULL, NULL, "", "", "", "", "b", "2", "xxxxx", "1", NULL},
		"name  n  what   last\n"
		"a     1  x\n"
		"b\n"
		"\n"
		"b     2  xxxxx     1\n");
}

TEST(without_rows_nothing_is_printed)
{
	printer = (struct printer){0};
	expect((const char *[]){NULL}, "");
}

TEST(cells_are_printed_as_utf8_without_characters_that_act)
{
	const char *rows[] = {"a\tb", "\\x", "\\y", "1", "f\303\266o", "2", "\303", "", NULL};
	printer = (struct printer){0};
	expect(rows, "name   n  what  last\n"
		     "a?b   \\x  \\y       1\n"
		     "f\303\266o    2  \357\277\275\n");
}

TEST(in_a_terminal_names_go_on_in_a_second_line)
{
	const char *rows[] = {"a name of 20 letters", "1", "nearly as long too", "1",
		"\303\266\303\266\303\266\303\266\303\266\303\266", "2", "", "9", NULL};
	printer = (struct printer){.width = 35};
	expect(rows, "name          n  what          last\n"
		     "a name of 20  1  nearly as        1\n"
		     "letters          long too\n"
		     "\303\266\303\266\303\266\303\266\303\266\303\266        2                   9\n");
}

TEST(behind_the_second_line_names_are_cut)
{
	const char *rows[] = {"one two three four five six", "1", "", "", NULL};
	printer = (struct printer){.width = 15};
	expect(rows, "name          n\none two       1\nthree four..\n");
	printer.is_whole = true;
	expect(rows, "name          n\none two       1\nthree four\nfive six\n");
}

TEST(names_of_places_keep_their_ends)
{
	static const struct table_column places[] = {{"where", TABLE_PLACE}, {"n", TABLE_RIGHT}, {0}};
	struct print_of of = {places, 2,
		(const char *[]){"market::exchange::orders::Book::place", "1", "apply_all_the_pending_orders_of_book",
			"2", NULL}};
	printer = (struct printer){.width = 15};
	expect_of(&of, "where         n\n..orders::    1\nBook::place\napply_all_..  2\ners_of_book\n");
	printer.is_whole = true;
	expect_of(&of, "where         n\n"
		       "market::      1\nexchange::\norders::\nBook::place\n"
		       "apply_all_    2\nthe_pending_\norders_of_\nbook\n");
}

TEST(names_of_columns_go_on_in_further_lines)
{
	static const struct table_column wide[] = {
		{"name", TABLE_LEFT}, {"others, at least", TABLE_RIGHT}, {"saves at most", TABLE_LOSS}, {0}};
	struct print_of of = {wide, 3, (const char *[]){"a", "1", "2 %", NULL}};
	printer = (struct printer){.width = 80};
	expect_of(&of, "name  others, at least  saves at most\na                    1            2 %\n");
	printer.width = 28;
	expect_of(&of, "name  others, at    saves at\n"
		       "           least        most\n"
		       "a              1         2 %\n");
}

TEST(columns_without_room_follow_below)
{
	const char *rows[] = {"a", "1,000,000,000", "x", "2,000,000,000", "b", "3", "y", "4", NULL};
	printer = (struct printer){.width = 24};
	expect(rows, "name              n\n"
		     "a     1,000,000,000\n"
		     "b                 3\n"
		     "\n"
		     "name  what\n"
		     "a     x\n"
		     "b     y\n"
		     "\n"
		     "name           last\n"
		     "a     2,000,000,000\n"
		     "b                 4\n");
}

TEST(a_column_of_zeros_is_left_out)
{
	printer = (struct printer){0};
	expect((const char *[]){"0", "0", "-", "0 ns", "0", "0.0 %", "", "0x", NULL},
		"name  last\n0     0 ns\n0       0x\n");
}

static void mark(const struct printer *to, enum printer_meaning meaning)
{
	to->write(to->arg,
		meaning == PRINTER_PLAIN  ? "]"
		: meaning == PRINTER_LOSS ? "[loss "
					  : "[place ",
		meaning == PRINTER_PLAIN  ? 1
		: meaning == PRINTER_LOSS ? 6
					  : 7);
}

TEST(cells_are_marked_with_the_meaning_of_their_column)
{
	static const struct table_column meant[] = {
		{"where", TABLE_PLACE}, {"lost", TABLE_LOSS}, {"n", TABLE_RIGHT}, {0}};
	struct print_of of = {meant, 3, (const char *[]){"a", "1 s", "2", NULL}};
	printer = (struct printer){.mark = mark};
	expect_of(&of, "where  lost  n\n[place a]       [loss 1 s]  2\n");
}
