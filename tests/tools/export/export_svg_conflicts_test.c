/* SPDX-License-Identifier: MIT
 * Points, regions and lists of conflicts in a picture. */
#include "picture.h"

/* ---- points ---- */

TEST(points_on_one_pixel_are_one_that_says_of_how_many)
{
	begin();
	uint32_t queue = put_word("queue");
	for (uint64_t i = 0; i < 3; i++)
		writer_event(&writer, &(struct stmlog_event_record){.time_ns = 1000 + i,
					      .argument = 7 - i,
					      .thread = 7,
					      .place = queue,
					      .kind = STMLOG_EVENT_COUNTER});
	put(100000, 7, STMLOG_EVENT_MARK);
	char *text = checked(whole);
	assert_int_equal(count_of(text, "class=\"counter\""), 1);
	assert_int_equal(count_of(text, "class=\"mark\""), 1);
	assert_non_null(strstr(text, "<title>counter queue 5\nat 0.000000002 s, the last of 3 on one pixel</title>"));
	free(text);
}

/* ---- conflicts ---- */

static void put_conflict(uint32_t place, uint64_t object)
{
	writer_event(&writer, &(struct stmlog_event_record){.time_ns = 1000,
				      .argument = object,
				      .thread = 7,
				      .place = place,
				      .kind = STMLOG_EVENT_ABORT,
				      .reason = STMLOG_SELF_ABORT,
				      .contention = STMLOG_WRITE_WRITE});
}

static uint32_t put_site(const char *function, uint32_t line)
{
	uint32_t place = put_word(""), site = writer_place(&writer, function, "bank.c", line);
	struct stmlog_place_record *places = (void *)writer.sections[STMLOG_SECTION_PLACES].bytes;
	places[place].traceback = writer_traceback(&writer, &site, 1, 0);
	return place;
}

/* Several addresses of code with one name are one place. */
TEST(conflicts_are_counted_by_place_and_by_object)
{
	begin();
	uint32_t audit = put_site("audit", 3), transfer = put_site("transfer", 4), again = put_site("transfer", 4);
	put_conflict(audit, 0x400);
	put_conflict(transfer, 0x800);
	put_conflict(again, 0x800);
	put_conflict(0, 0);
	put_abort(0, 7, 8);
	char *text = checked(whole);
	const char *sites = strstr(text, "<g id=\"sites\">"), *objects = strstr(text, "<g id=\"objects\">");
	assert_true(sites != NULL && objects > sites);
	const char *first = strstr(sites, ">2</text>\n"), *second = strstr(sites, ">1</text>\n");
	assert_true(first != NULL && second > first && strstr(first, ">transfer bank.c:4<") < second);
	assert_true(strstr(second, ">audit bank.c:3<") < objects);
	assert_true(strstr(second, ">2</text>\n") < strstr(second, ">unknown<"));
	assert_true(strstr(objects, ">0x800 (") < strstr(objects, ">0x400 ("));
	assert_non_null(strstr(objects, ">1</text>\n"));
	free(text);
}

TEST(objects_beyond_the_first_ten_are_counted_together)
{
	begin();
	for (uint64_t i = 1; i <= 13; i++)
		for (uint64_t k = 0; k < 20 - i; k++)
			put_conflict(0, 0x10000 * i);
	char *text = checked(whole);
	assert_int_equal(count_of(strstr(text, "<g id=\"objects\">"), " (cache line 0x"), 10);
	assert_null(strstr(text, ">0xb0000 ("));
	assert_non_null(strstr(text, ">24</text>\n"));
	assert_non_null(strstr(text, ">of 3 others<"));
	free(text);
}

TEST(too_many_different_objects_are_counted_without_names)
{
	begin();
	for (uint64_t i = 1; i <= 65536 + 3; i++)
		put_conflict(0, i * 4096);
	char *text = drawn(whole);
	assert_non_null(strstr(text, ">3</text>\n"));
	assert_non_null(strstr(text, ">of too many different ones to be counted apart<"));
	assert_non_null(strstr(text, ">of 65,526 others<"));
	free(text);
}

/* ---- regions ---- */

static void put_region(uint64_t from_ns, uint64_t until_ns, uint32_t tag, uint64_t work)
{
	struct stmlog_event_record event = {.time_ns = 1000 + from_ns,
		.argument = work,
		.thread = 7,
		.place = tag,
		.kind = STMLOG_EVENT_REGION_BEGIN};
	writer_event(&writer, &event);
	put(until_ns, 7, STMLOG_EVENT_REGION_END);
}

TEST(regions_are_paler_the_slower_they_are)
{
	begin();
	uint32_t sort = put_word("sort"), idle = put_word("idle");
	put(0, 7, STMLOG_EVENT_ATTACH);
	put_region(0, 100, sort, 50);
	put_region(100, 200, sort, 25);
	put_region(200, 300, sort, 0);
	put_region(300, 400, idle, 0);
	char *text = checked(whole);
	assert_int_equal(count_of(text, "class=\"region\""), 4);
	assert_int_equal(count_of(text, " fill-opacity=\"1.00\""), 1);
	assert_int_equal(count_of(text, " fill-opacity=\"0.70\""), 1);
	assert_int_equal(count_of(text, " fill-opacity=\"0.40\""), 2);
	assert_non_null(strstr(text, "region sort\n100 ns from 0.000000100 s\nwork 25 in 100 ns of its tasks\n"
				     "speed 50.0 % of the fastest one of its tag"));
	free(text);
}
