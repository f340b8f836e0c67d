/* SPDX-License-Identifier: MIT
 * Scales, and the distance of ticks. */
#include "export_graph.h"
#include "test.h"

static const struct graph_scale hundred = {.from_ns = 1000, .until_ns = 2000, .left = 10, .width = 100};

TEST(times_outside_are_at_the_borders)
{
	const struct graph_scale point = {.from_ns = 5, .until_ns = 5, .left = 10, .width = 100};
	assert_true(graph_x(&hundred, 0) == 10);
	assert_true(graph_x(&hundred, 1000) == 10);
	assert_true(graph_x(&hundred, 1500) == 60);
	assert_true(graph_x(&hundred, 2000) == 110);
	assert_true(graph_x(&hundred, UINT64_MAX) == 110);
	assert_true(graph_x(&point, 4) == 10 && graph_x(&point, 5) == 10 && graph_x(&point, 6) == 10);
}

TEST(ticks_are_round_and_as_many_as_there_is_room_for)
{
	assert_int_equal(graph_tick_ns(0, 10), 1);
	assert_int_equal(graph_tick_ns(10, 10), 1);
	assert_int_equal(graph_tick_ns(11, 10), 2);
	assert_int_equal(graph_tick_ns(21, 10), 2);
	assert_int_equal(graph_tick_ns(22, 10), 5);
	assert_int_equal(graph_tick_ns(1000, 10), 100);
	assert_int_equal(graph_tick_ns(55000000, 9), 10000000);
	for (uint64_t span_ns = 1; span_ns < UINT64_MAX / 3; span_ns = 3 * span_ns + 1)
		assert_true(span_ns / graph_tick_ns(span_ns, 7) <= 7);
	assert_true(UINT64_MAX / graph_tick_ns(UINT64_MAX, 1) <= 1);
}
