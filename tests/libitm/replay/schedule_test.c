/* SPDX-License-Identifier: MIT
 * Which stream each thread makes in which window. A stream is known by its count. */

#include <stdlib.h>

#include "test.h"
#include "threads.h"

static struct recorded recorded;
static struct threads_stream streams[RECORDED_STREAMS_MAX];

/* The n-th stream has `records`; the threads' windows are in order. */
static void add(bool is_same_thread, uint16_t window, size_t records)
{
	struct recorded_stream *stream = &recorded.streams[recorded.stream_count];
	*stream = (struct recorded_stream){.count = records, .window = window, .is_same_thread = is_same_thread};
	streams[recorded.stream_count++].count = records;
}

static void set_up(void)
{
	recorded.stream_count = 0;
}

static const struct test_fixture fixture = {.set_up = set_up};

static void expect(size_t threads, size_t windows, const size_t *counts)
{
	struct threads_schedule schedule = schedule_make(&recorded, streams);
	assert_non_null(schedule.streams);
	assert_int_equal(schedule.threads, threads);
	assert_int_equal(schedule.windows, windows);
	for (size_t i = 0; i < threads * windows; i++)
		assert_int_equal(schedule.streams[i].count, counts[i]);
	free(schedule.streams);
}

TEST_WITH(fixture, each_thread_makes_its_stream_of_the_window)
{
	add(false, 1, 10);
	add(true, 2, 20);
	add(false, 1, 30);
	add(true, 2, 40);
	expect(2, 2, (const size_t[]){10, 20, 30, 40});
}

TEST_WITH(fixture, a_thread_without_a_window_makes_the_one_before_again)
{
	add(false, 0, 1);
	add(true, 7, 2);
	add(true, UINT16_MAX, 3);
	add(false, 7, 4);
	add(false, UINT16_MAX, 5);
	expect(3, 3, (const size_t[]){1, 2, 3, 4, 4, 4, 5, 5, 5});
}

TEST_WITH(fixture, short_streams_are_made_several_times_before_the_next_window)
{
	static const struct {
		size_t records, passes;
	} rows[] = {{2, 512}, {1023, 2}, {1024, 1}, {100000, 1}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		recorded.stream_count = 0;
		add(false, 0, 1);
		add(false, 0, rows[i].records);
		struct threads_schedule schedule = schedule_make(&recorded, streams);
		assert_int_equal(schedule.passes, rows[i].passes);
		free(schedule.streams);
	}
}

TEST_WITH(fixture, as_many_streams_as_there_can_be_have_a_schedule)
{
	for (size_t i = 0; i < RECORDED_STREAMS_MAX; i++)
		add(i > 0, (uint16_t)i, i + 1);
	struct threads_schedule schedule = schedule_make(&recorded, streams);
	assert_int_equal(schedule.threads, 1);
	assert_int_equal(schedule.windows, RECORDED_STREAMS_MAX);
	assert_int_equal(schedule.streams[RECORDED_STREAMS_MAX - 1].count, RECORDED_STREAMS_MAX);
	free(schedule.streams);
}
