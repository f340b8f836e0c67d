/* SPDX-License-Identifier: MIT
 * The picture of tasks: widths, colours, words, and texts of any bytes. */
#include "loaded.h"

#include <stdlib.h>

#include "picture.h"
#include "timeline_text.h"

static struct writer writer;

/* The picture of a timeline. The caller frees it. */
static char *picture(uint32_t threads, const char *timeline)
{
	struct recording recording;
	struct work work;
	char *text = NULL;
	size_t len = 0;
	timeline_text(&writer, threads, timeline);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	assert_true(work_build(&work, &recording));
	struct picture picture = picture_of(&recording, &work);
	FILE *out = open_memstream(&text, &len);
	picture_write(&picture, out);
	fclose(out);
	picture_fini(&picture);
	work_fini(&work);
	recording_fini(&recording);
	assert_int_equal(strlen(text), len);
	return text;
}

/* The value of an attribute of the element with this id; static. */
static const char *attribute(const char *text, const char *id, const char *name)
{
	static char value[64];
	char wanted[64];
	snprintf(wanted, sizeof wanted, "id='%s'", id);
	const char *at = strstr(text, wanted);
	assert_non_null(at);
	snprintf(wanted, sizeof wanted, " %s='", name);
	const char *begin = strstr(at, wanted);
	assert_true(begin != NULL && begin < strchr(at, '>'));
	begin += strlen(wanted);
	snprintf(value, sizeof value, "%.*s", (int)strcspn(begin, "'"), begin);
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

/* The boxes of a picture, row by row: tasks 1, 2 and 3. */
TEST(rayon_logs_the_fork_join_graph_is_drawn_with_time_as_width)
{
	OWNED(owned_free) char *text = picture(3, join);
	double unit = number_in(text, "graph0", "width");
	assert_true(number_in(text, "graph2", "width") == unit);
	assert_true(number_in(text, "graph3", "width") == 2 * unit);
	assert_true(number_in(text, "graph2", "x") == number_in(text, "graph3", "x"));
	assert_true(number_in(text, "graph1", "x") == number_in(text, "graph3", "x") + 2 * unit);
	assert_true(number_in(text, "graph2", "y") < number_in(text, "graph3", "y"));
	assert_true(number_in(text, "graph0", "y") == number_in(text, "graph1", "y"));
}

TEST(racket_the_tree_of_creations_is_drawn_from_left_to_right)
{
	OWNED(owned_free) char *text = picture(3, join);
	double unit = number_in(text, "creations0", "width");
	assert_true(number_in(text, "creations1", "x") == number_in(text, "creations0", "x") + unit);
	assert_true(number_in(text, "creations2", "x") == number_in(text, "creations1", "x"));
	assert_true(number_in(text, "creations1", "y") == number_in(text, "creations0", "y"));
	assert_true(number_in(text, "creations2", "y") > number_in(text, "creations1", "y"));
	assert_non_null(strstr(text, "<title>task 3\n200 ns of work in 1 segment\ncreated by task 1\nregion half,"));
}

TEST(rayon_logs_a_task_has_the_colour_of_its_tag)
{
	OWNED(owned_free)
	char *text = picture(2, "1 1 task-start 1\n1 2 task-start 2\n1 1 region-begin 1 a\n1 2 region-begin 1 b\n"
				"9 1 region-end 0\n9 2 region-end 0\n9 1 task-end 1\n9 2 task-end 2\n9 1 task-start 3\n"
				"10 1 task-end 3\n");
	assert_string_equal(attribute(text, "graph0", "fill"), picture_fill(0));
	assert_string_not_equal(attribute(text, "graph1", "fill"), picture_fill(0));
	assert_non_null(strstr(text, ">a</text>"));
	assert_non_null(strstr(text, ">in no region</text>"));
}

TEST(rayon_logs_a_slow_region_is_paler)
{
	OWNED(owned_free) char *text = picture(3, join);
	assert_string_equal(attribute(text, "graph2", "fill-opacity"), "1.00");
	assert_string_equal(attribute(text, "graph3", "fill-opacity"), "0.70");
	assert_non_null(strstr(text, "task 3, segment 1 of 1\n200 ns from 0.000000110 s on thread 3\n"
				     "region half, speed 50.0 % of the fastest one"));
}

TEST(the_heading_has_the_sums)
{
	OWNED(owned_free) char *text = picture(3, join);
	assert_non_null(strstr(text, ">3 tasks in 4 segments: 500 ns of work, longest chain 400 ns, parallelism 1.2<"));
}

TEST(a_task_that_is_open_at_the_end_is_drawn_up_to_it)
{
	OWNED(owned_free) char *text = picture(1, "1 1 task-start 1\n9 1 mark\n");
	assert_non_null(strstr(text, "task 1, segment 1 of 1, open at the end\n8 ns from "));
}

TEST(a_task_that_took_no_time_can_be_seen)
{
	OWNED(owned_free) char *text = picture(1, "1 1 task-start 1\n1 1 task-end 1\n");
	assert_true(number_in(text, "graph0", "width") > 0);
}

TEST(names_of_any_bytes_are_text)
{
	OWNED(owned_free)
	char *text = picture(
		1, "1 1 task-start 1\n2 1 region-begin 5 <&\x01\xff\xef\xbf\xbf\n8 1 region-end 0\n9 1 task-end 1\n");
	assert_non_null(strstr(text, "&lt;&amp;?\xef\xbf\xbd?"));
	assert_null(strchr(text, '\x01'));
	assert_null(strstr(text, "<&"));
}

TEST(words_are_black_or_white_as_can_be_read)
{
	assert_string_equal(picture_ink(0, 1), "#ffffff");
	assert_string_equal(picture_ink(0, 0), "#000000");
	assert_string_equal(picture_ink(1, 1), "#000000");
	assert_string_equal(picture_ink(WORK_NONE, 1), "#000000");
}
