/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "manual.h"
#include "test.h"

static char text[4096];
static int saved;
static FILE *file;

static void begin(void)
{
	fflush(stdout);
	saved = dup(STDOUT_FILENO);
	file = tmpfile();
	assert_non_null(file);
	dup2(fileno(file), STDOUT_FILENO);
}

static const char *end(void)
{
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	rewind(file);
	text[fread(text, 1, sizeof text - 1, file)] = '\0';
	fclose(file);
	return text;
}

TEST(nothing_in_a_text_is_taken_for_a_request)
{
	begin();
	roff_text(".SH 'x' --by ~/a \\n");
	assert_string_equal(end(), "\\&.SH \\(aqx\\(aq \\-\\-by \\(ti/a \\en\n");
}

TEST(lines_stay_below_80_columns)
{
	char words[2000] = "";
	for (size_t i = 0; i < 90; i++)
		strcat(words, i % 7 == 0 ? "--option .word " : "word ");
	begin();
	roff_text(words);
	for (const char *line = end(); *line != '\0'; line += strcspn(line, "\n") + 1) {
		assert_true(strcspn(line, "\n") < 80);
		assert_true(line[0] != '.');
	}
}

TEST(paragraphs_examples_and_the_exit_status_are_told_apart)
{
	begin();
	roff_paragraphs("One\ntwo.\n\nThree.\n  an  example\nFour.\nExit status: 0 ok,\n1 not.\n");
	assert_string_equal(end(),
		"One two.\n.PP\nThree.\n.PP\n.EX\n  an  example\n.EE\n.PP\nFour.\n.SH EXIT STATUS\n0 ok, 1 not.\n");
}

TEST(a_last_line_needs_no_end)
{
	begin();
	roff_paragraphs("One");
	assert_string_equal(end(), "One\n");
}

TEST(the_date_of_a_page_can_be_fixed)
{
	setenv("SOURCE_DATE_EPOCH", "86400", 1);
	begin();
	roff_title("report", "prints");
	assert_non_null(strstr(end(), ".TH STMLOG\\-REPORT 1 1970-01-02 "));
	unsetenv("SOURCE_DATE_EPOCH");
}
