/* SPDX-License-Identifier: MIT
 * Lines broken at a width, to the letter. */
#include <string.h>

#include "printer.h"
#include "report_memory.h"
#include "test.h"

static char text[1024];

static void append(void *unused, const char *bytes, size_t len)
{
	(void)unused;
	assert_true(strlen(text) + len < sizeof text);
	strncat(text, bytes, len);
}

struct folding {
	size_t width;
	const char *from;
	size_t step; /* bytes at a time; 0: all at once */
	const char *copied;
};

static void fold(const struct folding *folding)
{
	struct printer to = {.write = append, .width = folding->width};
	struct fold fold = {.width = 0};
	struct printer printer = fold_printer(&fold, &to);
	for (const char *at = folding->from; folding->step != 0 && *at != '\0'; at += folding->step)
		printer.write(printer.arg, at, folding->step);
	if (folding->step == 0)
		printer_text(&printer, folding->from);
	if (folding->copied != NULL) {
		printer_marked(&printer, PRINTER_COPY, folding->copied);
		printer_text(&printer, "\n");
	}
	memory_free(fold.word);
}

static void expect(struct folding folding, const char *expected)
{
	text[0] = '\0';
	fold(&folding);
	assert_string_equal(text, expected);
}

TEST(a_line_that_fits_stays_as_it_is)
{
	expect((struct folding){.width = 30, .from = "a  b\n\n   c, with thirty columns...\n d\n"},
		"a  b\n\n   c, with thirty columns...\n d\n");
}

TEST(without_a_width_no_line_is_broken)
{
	expect((struct folding){.width = 0, .from = "a very long line indeed\n"}, "a very long line indeed\n");
}

TEST(a_line_is_broken_at_a_space_and_indented_as_it_was)
{
	expect((struct folding){.width = 24, .from = "  one two three four five six\n"},
		"  one two three four\n  five six\n");
}

TEST(behind_a_label_lines_begin_below_the_text)
{
	expect((struct folding){.width = 32,
		       .from = "  where    one two three four five six\nhint: 1 2 3 4 5 6 7 8 9 a b c d e f g\n"},
		"  where    one two three four\n           five six\nhint: 1 2 3 4 5 6 7 8 9 a b c d\n    e f g\n");
}

TEST(a_word_that_no_line_has_room_for_is_broken)
{
	expect((struct folding){.width = 20, .from = "ab 0123456789012345678901234567890123456789 cd\n"},
		"ab\n01234567890123456789\n01234567890123456789\ncd\n");
}

TEST(a_word_to_copy_is_not_broken)
{
	expect((struct folding){.width = 20, .from = "Next: ", .copied = "/0123456789/0123456789/0123456789"},
		"Next:\n    /0123456789/0123456789/0123456789\n");
}

TEST(wide_characters_have_two_columns)
{
	static const char wide[] = "\346\263\250\346\226\207\346\263\250 \346\226\207 a\n";
	expect((struct folding){.width = 6, .from = wide}, "\346\263\250\346\226\207\346\263\250\n\346\226\207 a\n");
	expect((struct folding){.width = 6, .from = wide, .step = 1},
		"\346\263\250\346\226\207\346\263\250\n\346\226\207 a\n");
}

TEST(escape_sequences_have_no_width)
{
	expect((struct folding){.width = 10, .from = "\033[1;31mabcde\033[0m \033[36mabcd\033[0m e\n", .step = 1},
		"\033[1;31mabcde\033[0m \033[36mabcd\033[0m\ne\n");
}
