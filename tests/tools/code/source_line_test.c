/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "source_file.h"
#include "test.h"

struct statement {
	const char *text;
	size_t max;
	const char *statement;
};

static void expect(const struct statement *statements, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		OWNED(owned_free) char *found = source_statement(statements[i].text, statements[i].max);
		if (statements[i].statement == NULL) {
			assert_null(found);
			continue;
		}
		assert_non_null(found);
		assert_string_equal(found, statements[i].statement);
	}
}

TEST(a_statement_is_without_what_stands_around_it)
{
	static const struct statement statements[] = {{"\t\tid = book->next_id++;\r", 60, "id = book->next_id++"},
		{"  { a = b; } // why", 60, "a = b"}, {"a /* of b */ = b /* open", 60, "a = b"},
		{"if (a  ==\tb) {", 60, "if (a == b)"}, {"s = \"a // b;  c\"; /* x */", 60, "s = \"a // b;  c\""},
		{"c = '\\'' /* y */;", 60, "c = '\\''"}, {"s = \"open", 60, "s = \"open"}};
	expect(statements, sizeof statements / sizeof statements[0]);
}

TEST(a_line_without_a_statement_has_none)
{
	static const struct statement statements[] = {{"", 60, NULL}, {" \t", 60, NULL}, {"\t}", 60, NULL},
		{"{", 60, NULL}, {"// a", 60, NULL}, {";", 60, NULL}, {"\t__transaction_atomic {", 60, NULL}};
	expect(statements, sizeof statements / sizeof statements[0]);
}

TEST(a_long_statement_is_cut_behind_a_word)
{
	static const struct statement statements[] = {
		{"total += book->levels[i].quantity", 33, "total += book->levels[i].quantity"},
		{"total += book->levels[i].quantity", 32, "total += book->levels[i].."},
		{"total += book->levels[i].quantity", 21, "total += book->.."},
		{"total += book->levels", 10, "total +=.."}, {"a_name_that_has_no_end", 10, "a_name_t.."}};
	expect(statements, sizeof statements / sizeof statements[0]);
}
