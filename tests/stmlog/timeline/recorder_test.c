/* SPDX-License-Identifier: MIT
 * Which events of a thread a recorder keeps, and in which form. */
#include "recorder.h"

#include "clock.h"
#include "fake_clock.h"
#include "fixture.h"
#include "mem.h"

enum { RUN = 3, BEGAN_NS = 100, ROOM = 32 };

static struct tb_stack *stack;
static struct recorder *recorder;

static void set_up(void)
{
	fixture_set_up();
	clock_use(fake_clock_now_ns);
	fake_clock_set(1000);
	stack = tb_stack_create(0);
	recorder = recorder_create(ROOM, TRACK_RING, stack);
	assert_non_null(stack);
	assert_non_null(recorder);
}

static void tear_down(void)
{
	recorder_destroy(&recorder);
	assert_null(recorder);
	recorder_destroy(&recorder);
	tb_stack_destroy(&stack);
	clock_use(NULL);
	fixture_tear_down();
}

static const struct test_fixture fixture = {set_up, tear_down};

static void put_of(uint32_t thread, unsigned kind, uint64_t time_ns)
{
	if (AO_load(&recorder->thread) != thread)
		recorder_hand_on(recorder);
	struct stmlog_event event = {.time_ns = time_ns, .kind = (uint8_t)kind};
	if (recorder_has_begun(recorder, RUN) || recorder_begin(recorder, RUN, thread, BEGAN_NS, &event))
		recorder_put_bare(recorder, kind, time_ns, TB_UNKNOWN);
}

static void put(unsigned kind, uint64_t time_ns)
{
	put_of(1, kind, time_ns);
}

static struct stmlog_event events[ROOM];

static size_t read_all(void)
{
	struct track_record records[ROOM];
	struct track_gap gap;
	size_t len = track_read(&recorder->track, &recorder->position, RUN, BEGAN_NS, records, ROOM, &gap);
	for (size_t i = 0; i < len; i++)
		events[i] = recorder_event(&records[i]);
	return len;
}

TEST_WITH(fixture, the_first_event_of_a_thread_is_its_attach)
{
	put(STMLOG_EVENT_MARK, 200);
	put_of(2, STMLOG_EVENT_ATTACH, 300);
	put_of(2, STMLOG_EVENT_MARK, 400);
	assert_int_equal(read_all(), 4);
	assert_int_equal(events[0].kind, STMLOG_EVENT_ATTACH);
	assert_int_equal(events[0].time_ns, BEGAN_NS);
	assert_int_equal(events[1].kind, STMLOG_EVENT_MARK);
	assert_int_equal(events[2].kind, STMLOG_EVENT_ATTACH);
	assert_int_equal(events[2].thread, 2);
	assert_int_equal(events[2].time_ns, 300);
}

/* Each closes, or is within, what was not opened in the run. */
TEST_WITH(fixture, what_belongs_to_earlier_things_is_left_out)
{
	static const unsigned kinds[] = {STMLOG_EVENT_COMMIT, STMLOG_EVENT_ABORT, STMLOG_EVENT_ABORT_OTHER,
		STMLOG_EVENT_INEVITABLE, STMLOG_EVENT_WAIT_END, STMLOG_EVENT_TASK_SUSPEND, STMLOG_EVENT_TASK_END,
		STMLOG_EVENT_TOUCH_RESUME, STMLOG_EVENT_REGION_END};
	put(STMLOG_EVENT_MARK, 200);
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		put(kinds[i], 200);
	assert_int_equal(read_all(), 2);
	put(STMLOG_EVENT_START, 300);
	put(STMLOG_EVENT_COMMIT, 300);
	put(STMLOG_EVENT_COMMIT, 300);
	put(STMLOG_EVENT_REGION_BEGIN, 300);
	put(STMLOG_EVENT_REGION_END, 300);
	put(STMLOG_EVENT_REGION_END, 300);
	put(STMLOG_EVENT_TASK_RESUME, 300);
	put(STMLOG_EVENT_TASK_END, 300);
	assert_int_equal(read_all(), 6);
}

TEST_WITH(fixture, a_contention_is_left_out_with_what_comes_of_it)
{
	struct stmlog_event contention = {
		.time_ns = 200, .thread = 1, .kind = STMLOG_EVENT_CONTENTION, .detail = STMLOG_EVENT_ABORT};
	put(STMLOG_EVENT_MARK, 200);
	recorder_put(recorder, &contention, TB_UNKNOWN, NULL);
	put(STMLOG_EVENT_ABORT, 200);
	assert_int_equal(read_all(), 2);
	contention.detail = STMLOG_EVENT_WAIT_BEGIN; /* a wait may begin anywhere */
	recorder_put(recorder, &contention, TB_UNKNOWN, NULL);
	assert_int_equal(read_all(), 1);
}

TEST_WITH(fixture, what_happened_before_the_run_is_not_in_it)
{
	put(STMLOG_EVENT_START, BEGAN_NS - 1);
	put(STMLOG_EVENT_COMMIT, BEGAN_NS);
	assert_int_equal(read_all(), 1);
	assert_int_equal(events[0].kind, STMLOG_EVENT_ATTACH);
}

TEST_WITH(fixture, it_needs_all_its_memory)
{
	for (size_t n = 1; n <= 2; n++) {
		mem_fail_at(n);
		assert_null(recorder_create(ROOM, TRACK_RING, stack));
	}
}
