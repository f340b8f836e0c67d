/* SPDX-License-Identifier: MIT
 * Lines of made-up sources beside the figures of made-up recordings. */
#include "loaded.h"

#include <stdbool.h>
#include <sys/stat.h>

#include <stmlog/read.h>

#include "annotate.h"
#include "neutral.h"
#include "temp_dir.h"
#include "utf8.h"
#include "text_has.h"

static const struct annotate_options usual = {.top = 5, .context = 1};

/* ---- recordings ---- */

struct place {
	const char *function;
	uint32_t line;
};

static uint32_t traceback_at(struct writer *writer, const char *file, const struct place *place)
{
	uint32_t site;
	if (place->function == NULL)
		return 0;
	site = writer_place(writer, place->function, file, place->line);
	return writer_traceback(writer, &site, 1, 0);
}

static void add_loss(
	struct writer *writer, const char *file, struct place victim, struct place culprit, uint64_t count, uint64_t ns)
{
	struct stmlog_entry_record entry = {.reason = STMLOG_SELF_ABORT,
		.contention = STMLOG_WRITE_WRITE,
		.local = traceback_at(writer, file, &victim),
		.remote = traceback_at(writer, file, &culprit),
		.count = count,
		.lost_ns = ns};
	writer_entry(writer, &entry);
}

/* In milliseconds: transfer() lost 4 at line 3 and 90 at line 9, both because of line 12 of audit(), which lost 5 to
 * nobody known. What is lost at no known place: 1. */
static void load_bank(struct recording *recording, const char *file)
{
	static const struct place lines[] = {{"transfer", 3}, {"transfer", 9}, {"audit", 12}, {NULL, 0}};
	struct writer writer;
	writer_init(&writer);
	add_loss(&writer, file, lines[0], lines[2], 1, 4000000);
	add_loss(&writer, file, lines[1], lines[2], 20, 90000000);
	add_loss(&writer, file, lines[2], lines[3], 3, 5000000);
	add_loss(&writer, file, lines[3], lines[3], 1, 1000000);
	writer_total(&writer, STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, 25, 100000000);
	assert_int_equal(load_written(recording, &writer), RECORDING_WHOLE);
}

static size_t printed_width = 80;
static uint32_t range_end; /* of the last function's first lines; 0: they are one line */

/* The listing of the functions with these words; NULL: of all. The caller frees it. */
static char *listed(struct recording *recording, const struct annotate_options *options, const char *words)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct printer printer = file_printer(out);
	printer.width = printed_width;
	struct symbols *symbols = symbols_create(recording);
	struct annotate annotate = annotate_make(recording, symbols);
	if (annotate.len > 0)
		annotate.functions[annotate.len - 1].lines[0].last_line = range_end;
	if (words != NULL)
		annotate_choose(&annotate, words);
	annotate_print(&annotate, options, &printer);
	annotate_drop(&annotate);
	symbols_destroy(&symbols);
	fclose(out);
	return text;
}

/* ---- sources ---- */

static const char *source(const char *text)
{
	const char *path = temp_dir_path("bank.c");
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	return path;
}

/* "line 1", "line 2" and so on, 20 of them. */
static const char *numbered_source(void)
{
	char text[400] = "", *end = text;
	for (int i = 1; i <= 20; i++)
		end += sprintf(end, "line %d\n", i);
	return source(text);
}

/* No line is wider than this, in characters. */
static void expect_width(const char *text, size_t width)
{
	size_t columns = 0;
	for (; *text != '\0'; text++) {
		columns = *text == '\n' ? 0 : columns + (((unsigned char)*text & 0xc0) != 0x80);
		assert_true(columns <= width);
	}
}

/* ---- tests ---- */

TEST(lines_have_what_they_lost_and_what_was_lost_to_them)
{
	OWNED(recording_fini) struct recording recording;
	load_bank(&recording, numbered_source());
	OWNED(owned_free) char *text = listed(&recording, &usual, NULL);
	assert_has(text, "lost: 100.0 ms; lines with a tenth of it or more are marked >\n");
	assert_has(text, "transfer\n  lost 94.0 ms, 94.0 %\n      lost   share lost to it   share  line\n");
	assert_has(text, "                                          2  line 2\n"
			 "    4.0 ms   4.0 %                        3  line 3\n"
			 "                                          4  line 4\n"
			 "                                        ...\n"
			 "                                          8  line 8\n"
			 ">  90.0 ms  90.0 %                        9  line 9\n"
			 "                                         10  line 10\n\n");
	assert_has(text, "audit\n  lost 5.0 ms, 5.0 %\n  others lost to it 94.0 ms, 94.0 %\n");
	assert_has(text, ">   5.0 ms   5.0 %    94.0 ms  94.0 %    12  line 12\n");
	assert_has(text, "\nat no known place: 1.0 ms\n");
	assert_has_not(text, "line 1\n");
	expect_width(text, 80);
}

/* In milliseconds: one() lost 60 in helper(), which it calls, because of a write there by two(), and 30 because of a
 * write in two() itself. */
TEST(a_transaction_has_what_is_lost_in_the_functions_that_it_calls)
{
	static const struct {
		uint32_t victim, culprit;
		uint64_t ns;
	} losses[] = {{3, 4, 60000000}, {3, 21, 30000000}};
	OWNED(recording_fini) struct recording recording;
	struct writer writer;
	const char *file = numbered_source();
	writer_init(&writer);
	uint32_t two = writer_place(&writer, "two", file, 20), one = writer_place(&writer, "one", file, 10);
	writer_transaction(&writer, &(struct stmlog_transaction_record){.site = two, .commits = 1});
	for (size_t i = 0; i < 2; i++) {
		const char *writes = losses[i].culprit < 10 ? "helper" : "two";
		const uint32_t local[] = {writer_place(&writer, "helper", file, losses[i].victim),
			writer_place(&writer, "one", file, 12)};
		const uint32_t remote[] = {writer_place(&writer, writes, file, losses[i].culprit), two};
		writer_entry(&writer, &(struct stmlog_entry_record){.reason = STMLOG_SELF_ABORT,
					      .contention = STMLOG_WRITE_WRITE,
					      .local = writer_traceback(&writer, local, 2, 0),
					      .remote = writer_traceback(&writer, remote, 2, 0),
					      .site = one,
					      .count = 20,
					      .lost_ns = losses[i].ns});
	}
	writer_total(&writer, STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, 40, 90000000);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	char *text = listed(&recording, &usual, "one");
	assert_has(text, "one\n  the transaction of line 10, with all that it calls\n    lost 90.0 ms, 100.0 %\n     ");
	assert_has(text, ">                                        10  line 10\n");
	free(text);
	text = listed(&recording, &usual, "two");
	assert_has(text, "two\n  others lost to it 30.0 ms, 33.3 %\n"
			 "  the transaction of line 20, with all that it calls\n"
			 "    others lost to it 90.0 ms, 100.0 %\n     ");
	free(text);
	text = listed(&recording, &usual, "helper");
	assert_has(text, "helper\n  lost 90.0 ms, 100.0 %\n  others lost to it 60.0 ms, 66.7 %\n      lost ");
	free(text);
}

TEST(figures_of_one_of_several_lines_stand_above_these)
{
	struct recording recording;
	load_bank(&recording, numbered_source());
	range_end = 5;
	char *text = listed(&recording, &usual, NULL);
	assert_has(text, "                                          2  line 2\n"
			 "    4.0 ms   4.0 %                        3  (one of the lines 3-5)\n"
			 "                                          3  line 3\n"
			 "                                          4  line 4\n"
			 "                                          5  line 5\n"
			 "                                          6  line 6\n"
			 "                                        ...\n");
	free(text);
	recording_fini(&recording);
	load_bank(&recording, "gone.c");
	text = listed(&recording, &usual, NULL);
	range_end = 0;
	assert_has(text, "    4.0 ms   4.0 %                        3  (one of the lines 3-5)\n");
	free(text);
	recording_fini(&recording);
}

TEST(the_function_of_the_larger_sum_comes_first)
{
	static const struct place little = {"little", 1}, much = {"much", 2}, nobody = {NULL, 0};
	OWNED(recording_fini) struct recording recording;
	struct writer writer;
	writer_init(&writer);
	add_loss(&writer, "a.c", little, nobody, 1, 10);
	add_loss(&writer, "a.c", much, nobody, 1, 20);
	writer_total(&writer, STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, 2, 30);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	struct symbols *symbols = symbols_create(&recording);
	struct annotate annotate = annotate_make(&recording, symbols);
	assert_int_equal(annotate.len, 2);
	assert_string_equal(annotate.functions[0].name, "much");
	assert_string_equal(annotate.functions[1].name, "little");
	annotate_drop(&annotate);
	symbols_destroy(&symbols);
	const struct annotate_options one = {.top = 1};
	OWNED(owned_free) char *text = listed(&recording, &one, NULL);
	assert_has(text, "  much\n");
	assert_has_not(text, "  little\n");
	assert_has(text, "1 more function: --top=N, or 'stmlog annotate FUNCTION'\n");
}

TEST(functions_are_chosen_by_a_part_of_the_name_or_an_expression)
{
	static const struct {
		const char *words;
		bool has_transfer, has_audit;
	} rows[] = {{"ansf", true, false}, {"^a.*t$", false, true}, {"transfer|audit", true, true},
		{"^it", false, false}, {"operator[", false, false}, {"", true, true}};
	OWNED(recording_fini) struct recording recording;
	load_bank(&recording, numbered_source());
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		OWNED(owned_free) char *text = listed(&recording, &usual, rows[i].words);
		assert_int_equal(strstr(text, "  transfer\n") != NULL, rows[i].has_transfer);
		assert_int_equal(strstr(text, "  audit\n") != NULL, rows[i].has_audit);
	}
}

TEST(without_a_source_there_are_the_figures)
{
	OWNED(recording_fini) struct recording recording;
	load_bank(&recording, temp_dir_path("gone/bank.c"));
	char *text = listed(&recording, &usual, "transfer");
	assert_has(text, "\n  the source is not there; --srcdir=DIR looks for it below DIR\n"
			 "      lost   share lost to it   share  line\n"
			 "    4.0 ms   4.0 %                        3\n"
			 ">  90.0 ms  90.0 %                        9\n");
	free(text);
	numbered_source();
	struct annotate_options below = usual;
	below.srcdir = temp_dir_path(".");
	text = listed(&recording, &below, "transfer");
	assert_has(text, ">  90.0 ms  90.0 %                        9  line 9\n");
	free(text);
}

TEST(lines_beyond_the_end_of_the_source_are_told)
{
	OWNED(recording_fini) struct recording recording;
	load_bank(&recording, source("one\ntwo\nthree\n"));
	OWNED(owned_free) char *text = listed(&recording, &usual, NULL);
	assert_has(text, "    4.0 ms   4.0 %                        3  three\n"
			 ">  90.0 ms  90.0 %                        9  (the source has no such line)\n");
}

TEST(what_is_no_regular_file_is_not_waited_for)
{
	OWNED(recording_fini) struct recording recording;
	const char *path = temp_dir_path("fifo.c");
	assert_int_equal(mkfifo(path, 0600), 0);
	load_bank(&recording, path);
	OWNED(owned_free) char *text = listed(&recording, &usual, "transfer");
	assert_has(text, "the source is not there");
}

TEST(without_a_width_no_line_of_source_is_cut)
{
	char line[2002];
	OWNED(recording_fini) struct recording recording;
	memset(line, 'y', sizeof line);
	line[0] = '\t';
	line[sizeof line - 1] = '\0';
	load_bank(&recording, source(line));
	struct annotate_options wide = usual;
	wide.context = 20;
	printed_width = 0;
	OWNED(owned_free) char *text = listed(&recording, &wide, NULL);
	printed_width = 80;
	assert_has(text, line + 1);
}

/* Tabs, an escape, a change of direction, bytes that are no UTF-8, wide characters, and a long line. */
TEST(sources_of_any_bytes_stay_lines)
{
	char line[3000], *at = line;
	size_t fault;
	at += sprintf(at, "a\n\tif (\033[31mx) \xe2\x80\xae\xff\xc3\xa4\xc2\x9b\r\n\ta\tbc\td   \n");
	memset(at, 'y', 2000);
	at += sprintf(at + 2000, "\n%c%c\n", 0x80, 0xbf) + 2000;
	memset(at, 0x80, 500);
	at[500] = '\0';
	OWNED(recording_fini) struct recording recording;
	struct annotate_options wide = usual;
	wide.context = 20;
	load_bank(&recording, source(line));
	OWNED(owned_free) char *text = listed(&recording, &wide, NULL);
	assert_has(text, " 2      if (?[31mx) ?\xef\xbf\xbd\xc3\xa4?\n");
	assert_has(text, " 3      a   bc  d\n");
	assert_has(text, " 4  yyyyyyyyyy");
	expect_width(text, 80);
	assert_true(text_is_neutral(text, strlen(text), &fault));
}

TEST(names_of_any_bytes_stay_one_line)
{
	static const struct place place = {
		"f<\033[1m\nx, \xff>(a very long list of parameters, which goes on and on, and "
		"then somewhat further)",
		1};
	OWNED(recording_fini) struct recording recording;
	struct writer writer;
	writer_init(&writer);
	add_loss(&writer, "/nowhere/\033]0;x\a.c", place, place, 1, 10);
	writer_total(&writer, STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, 1, 10);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	OWNED(owned_free) char *text = listed(&recording, &usual, NULL);
	assert_has(text, "/nowhere/?]0;x?.c  f<?[1m?x, \xef\xbf\xbd>(a very long");
	expect_width(text, 80);
}

/* Of a sampled run with three losses that were measured. */
TEST(too_few_losses_have_no_figure)
{
	static const struct place place = {"f", 1};
	OWNED(recording_fini) struct recording recording;
	struct writer writer;
	writer_init(&writer);
	writer_info(&writer, "sampled=1");
	add_loss(&writer, "/gone.c", place, place, 3, 10);
	writer_total(&writer, STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, 3, 10);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	OWNED(owned_free) char *text = listed(&recording, &usual, NULL);
	assert_has(text, "\n       few                few             1\n");
	assert_has(text, "\nfew: fewer than 10 losses were measured, too few to say\n");
}

GROUP_WITH(temp_dir_fixture);
