/* SPDX-License-Identifier: MIT
 * Tasks as pictures: the graph, its colours, and the lanes of the threads. */
#include "exported.h"

#include "export_graph.h"
#include "timeline_text.h"

static struct writer writer;

static size_t count_of(const char *text, const char *piece)
{
	size_t count = 0;
	for (const char *at = strstr(text, piece); at != NULL; at = strstr(at + 1, piece))
		count++;
	return count;
}

/* ---- rules for each picture ---- */

/* The end of a character reference that begins here; NULL: it is none. */
static const char *reference(const char *at)
{
	static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strncmp(at, known[i], strlen(known[i])) == 0)
			return at + strlen(known[i]);
	return NULL;
}

/* Text up to the next tag: no control characters, no bare & or >. */
static const char *skip_text(const char *at)
{
	while (*at != '\0' && *at != '<') {
		assert_true((unsigned char)*at >= 0x20 || *at == '\n');
		assert_true(*at != '>' && *at != 0x7f);
		at = *at == '&' ? reference(at) : at + 1;
		assert_non_null(at);
	}
	return at;
}

static const char *skip_attributes(const char *at)
{
	while (*at == ' ') {
		at += strcspn(at, "=");
		assert_int_equal(at[1], '"');
		at += 2 + strcspn(at + 2, "\"<&");
		assert_int_equal(*at++, '"');
	}
	return at;
}

/* A reader of as much XML as pictures use: each element is closed, in order. */
static void check_well_formed(const char *text)
{
	char open[16][24];
	size_t depth = 0;
	const char *at = strchr(text, '\n') + 1;
	assert_true(strncmp(text, "<?xml ", 6) == 0);
	do {
		bool is_end = at[1] == '/';
		at += is_end ? 2 : 1;
		size_t len = strspn(at, "abcdefghijklmnopqrstuvwxyz");
		assert_in_range(len, 1, 23);
		if (is_end) {
			assert_true(
				depth > 0 && strncmp(open[depth - 1], at, len) == 0 && open[depth - 1][len] == '\0');
			depth--;
		} else {
			assert_true(depth < 16);
			snprintf(open[depth++], sizeof open[0], "%.*s", (int)len, at);
		}
		at = skip_attributes(at + len);
		if (*at == '/') {
			depth--;
			at++;
		}
		assert_int_equal(*at++, '>');
		at = skip_text(at);
	} while (*at == '<');
	assert_int_equal(depth, 0);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void check_ids(const char *text)
{
	size_t len = count_of(text, " id=\""), used = 0;
	char **ids = calloc(len + 1, sizeof *ids);
	for (const char *at = strstr(text, " id=\""); at != NULL; at = strstr(at + 1, " id=\""))
		ids[used++] = strndup(at + 5, strcspn(at + 5, "\""));
	qsort(ids, len, sizeof *ids, by_text);
	for (size_t i = 0; i < len; i++) {
		assert_true(i + 1 == len || strcmp(ids[i], ids[i + 1]) != 0);
		assert_true(ids[i][0] != '\0');
	}
	for (size_t i = 0; i < len; i++)
		free(ids[i]);
	free(ids);
}

/* The picture of a timeline; its form is checked. The caller frees it. */
static char *graph_of(uint32_t threads, const char *timeline)
{
	size_t len = 0;
	timeline_text(&writer, threads, timeline);
	char *text = exported(&writer, "graph", &len);
	assert_int_equal(strlen(text), len);
	check_well_formed(text);
	check_ids(text);
	return text;
}

/* The value of an attribute of the element with this id; static. */
static const char *attribute(const char *text, const char *id, const char *name)
{
	static char value[64];
	char wanted[64];
	snprintf(wanted, sizeof wanted, "id=\"%s\"", id);
	const char *at = strstr(text, wanted);
	assert_non_null(at);
	snprintf(wanted, sizeof wanted, " %s=\"", name);
	const char *begin = strstr(at, wanted);
	assert_true(begin != NULL && begin < strchr(at, '>'));
	begin += strlen(wanted);
	snprintf(value, sizeof value, "%.*s", (int)strcspn(begin, "\""), begin);
	return value;
}

static double number_in(const char *text, const char *id, const char *name)
{
	return strtod(attribute(text, id, name), NULL);
}

static const char join[] =
	"10 1 task-start 1\n20 1 task-create 2\n30 1 task-create 3\n110 1 task-suspend 1\n"
	"110 2 task-start 2\n110 3 task-start 3\n110 2 region-begin 100 half\n110 3 region-begin 100 half\n"
	"210 2 region-end 0\n210 2 task-end 2\n310 3 region-end 0\n310 3 task-end 3\n"
	"311 1 touch-pause 2\n311 1 touch-resume 2\n311 1 touch-pause 3\n311 1 touch-resume 3\n"
	"410 1 task-resume 1\n510 1 task-end 1\n";

/* ---- the graph ---- */

TEST(rayon_logs_the_fork_join_graph_is_drawn_with_time_as_width)
{
	char *text = graph_of(3, join);
	double unit = number_in(text, "s0", "width");
	assert_true(number_in(text, "s2", "width") == unit);
	assert_true(number_in(text, "s3", "width") == 2 * unit);
	assert_true(number_in(text, "s2", "x") == number_in(text, "s3", "x"));
	assert_true(number_in(text, "s1", "x") == number_in(text, "s3", "x") + 2 * unit);
	assert_true(number_in(text, "s2", "y") < number_in(text, "s3", "y"));
	assert_true(
		number_in(text, "s0", "height") == number_in(text, "s2", "height") + number_in(text, "s3", "height"));
	assert_int_equal(count_of(text, "class=\"edge\""), 0);
	free(text);
}

TEST(rayon_logs_a_task_has_the_colour_of_its_tag)
{
	char *text =
		graph_of(2, "1 1 task-start 1\n1 2 task-start 2\n1 1 region-begin 1 a\n1 2 region-begin 1 b\n"
			    "9 1 region-end 0\n9 2 region-end 0\n9 1 task-end 1\n9 2 task-end 2\n9 1 task-start 3\n"
			    "10 1 task-end 3\n");
	char first[64];
	snprintf(first, sizeof first, "%s", attribute(text, "s0", "fill"));
	assert_string_not_equal(first, attribute(text, "s1", "fill"));
	assert_string_equal(first, attribute(text, "t0", "fill"));
	assert_non_null(strstr(text, ">in no region</text>"));
	free(text);
}

TEST(rayon_logs_a_slow_region_is_paler)
{
	char *text = graph_of(3, join);
	assert_string_equal(attribute(text, "s2", "fill-opacity"), "1.00");
	assert_string_equal(attribute(text, "s3", "fill-opacity"), "0.70");
	assert_non_null(strstr(text, "\nregion half, speed 50.0 % of the fastest one"));
	free(text);
}

TEST(equal_subgraphs_are_folded)
{
	char *timeline = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&timeline, &len);
	fprintf(out, "1 1 task-start 1\n");
	for (int i = 0; i < 1024; i++)
		fprintf(out, "2 1 task-create %d\n", 10 + i);
	fprintf(out, "3 1 task-suspend 1\n");
	for (int i = 0; i < 1024; i++)
		fprintf(out, "%d 2 task-start %d\n%d 2 task-end %d\n", 10 * (i + 1), 10 + i, 10 * (i + 1) + 9, 10 + i);
	for (int i = 0; i < 1024; i++)
		fprintf(out, "20000 1 touch-pause %d\n20000 1 touch-resume %d\n", 10 + i, 10 + i);
	fprintf(out, "20001 1 task-resume 1\n20002 1 task-end 1\n");
	fclose(out);
	char *text = graph_of(2, timeline);
	assert_non_null(strstr(text, ">x 1,024</text>"));
	assert_non_null(strstr(text, "1,024 segments of equal parts of the graph\n9.2 us of work, each 9 ns to 9 ns"));
	free(text);
	free(timeline);
}

/* The words of the small boxes of a slow task's equals stand behind them, and within the picture. */
TEST(words_that_do_not_fit_into_a_box_of_many_stand_behind_it)
{
	char *timeline = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&timeline, &len);
	for (int i = 0; i < 100; i++)
		fprintf(out, "%d 1 task-start %d\n%d 1 task-end %d\n", 10 + i, i, 11 + i, i);
	fprintf(out, "200 1 task-start 200\n201 1 region-begin 1 long\n900 1 region-end 0\n901 1 task-end 200\n");
	fclose(out);
	char *text = graph_of(1, timeline);
	assert_non_null(
		strstr(text, " text-anchor=\"start\" fill=\"" GRAPH_INK "\" pointer-events=\"none\">x 100</text>"));
	free(text);
	free(timeline);
}

TEST(an_edge_between_other_rows_is_a_line)
{
	char *text = graph_of(3,
		"1 1 task-start 1\n2 1 task-create 2\n3 1 task-create 3\n4 2 task-start 2\n4 3 task-start 3\n"
		"6 2 task-end 2\n7 3 touch-pause 2\n8 3 touch-resume 2\n9 1 touch-pause 2\n10 1 touch-resume 2\n"
		"11 3 task-end 3\n12 1 touch-pause 3\n13 1 touch-resume 3\n14 1 task-end 1\n");
	assert_true(count_of(text, "class=\"edge\"") >= 1);
	free(text);
}

TEST(roots_that_nothing_connects_begin_together)
{
	char *text = graph_of(2, "1 1 task-start 1\n3 1 task-end 1\n5 2 task-start 2\n9 2 task-end 2\n");
	assert_true(number_in(text, "s0", "x") == number_in(text, "s1", "x"));
	assert_true(number_in(text, "s0", "y") != number_in(text, "s1", "y"));
	free(text);
}

TEST(a_task_that_is_open_at_the_end_is_drawn_up_to_it)
{
	char *text = graph_of(1, "1 1 task-start 1\n9 1 mark\n");
	assert_non_null(strstr(text, "task 1, segment 1 of 1, open at the end\n8 ns from "));
	free(text);
}

TEST(a_task_that_took_no_time_can_be_seen)
{
	char *text = graph_of(1, "1 1 task-start 1\n1 1 task-end 1\n");
	assert_true(number_in(text, "s0", "width") > 0);
	free(text);
}

/* ---- lanes ---- */

TEST(rayon_logs_a_lane_shows_its_segments_and_idle_time_in_grey)
{
	char *text = graph_of(3, join);
	assert_int_equal(count_of(text, "class=\"idle\""), 3);
	assert_true(number_in(text, "t2", "y") > number_in(text, "t0", "y"));
	assert_true(number_in(text, "t2", "y") < number_in(text, "t3", "y"));
	assert_true(number_in(text, "t1", "y") == number_in(text, "t0", "y"));
	assert_true(number_in(text, "t0", "x") < number_in(text, "t2", "x"));
	assert_non_null(strstr(text, "task 3, segment 1 of 1\n200 ns from 0.000000110 s on thread 3"));
	free(text);
}

TEST(neighbours_in_one_pixel_are_one_bar)
{
	char *text = graph_of(1, "1 1 task-start 1\n2 1 task-end 1\n3 1 task-start 2\n4 1 task-end 2\n"
				 "5 1 task-start 3\n900000 1 task-end 3\n");
	assert_non_null(strstr(text, "<title>2 segments</title>"));
	free(text);
}

/* ---- all pictures ---- */

TEST(names_of_any_bytes_are_text)
{
	char *text =
		graph_of(1, "1 1 task-start 1\n2 1 region-begin 5 <&\"\x01\xff\n8 1 region-end 0\n9 1 task-end 1\n");
	free(text);
}

TEST(the_same_recording_gives_the_same_bytes)
{
	char *first = graph_of(3, join), *second = graph_of(3, join);
	assert_string_equal(first, second);
	free(first);
	free(second);
}

TEST(words_are_black_or_white_as_can_be_read)
{
	assert_string_equal(graph_ink(0, 1), "#ffffff");
	assert_string_equal(graph_ink(0, 0), "#000000");
	assert_string_equal(graph_ink(1, 1), "#000000");
	assert_string_equal(graph_ink(TASKS_NONE, 1), "#000000");
}
