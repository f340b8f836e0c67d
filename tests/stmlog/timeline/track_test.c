/* SPDX-License-Identifier: MIT
 * Appending to a track, which is the log of one thread's events, and reading it: as a ring, which keeps the newest
 * records; when it keeps the oldest; and when it is unbounded. */
#include "track.h"

#include <errno.h>
#include <string.h>

#include "fixture.h"
#include "mem.h"
#include "random.h"

enum { RUN = 1, BEGAN_NS = 1000, ROOM = 64 };

static struct track track;

/* Record n of a run has the time BEGAN_NS + 10 (n + 1). */
static uint64_t time_of(uint64_t n)
{
	return BEGAN_NS + 10 * (n + 1);
}

static void produce(uint64_t from, uint64_t len)
{
	for (uint64_t n = from; n < from + len; n++)
		track_add(&track, &(struct track_record){{time_of(n), n, ~n, n * 3}});
}

static struct {
	struct track_position position;
	struct track_record records[ROOM];
	size_t len;
	struct track_gap gap;
} reading;

static void read_run(uint64_t run, size_t max)
{
	reading.len = track_read(&track, &reading.position, run, BEGAN_NS, reading.records, max, &reading.gap);
}

static void read_max(size_t max)
{
	read_run(RUN, max);
}

static void assert_records(uint64_t first, size_t len)
{
	assert_int_equal(reading.len, len);
	for (size_t i = 0; i < len; i++) {
		assert_int_equal(reading.records[i].words[0], time_of(first + i));
		assert_int_equal(reading.records[i].words[1], first + i);
		assert_int_equal(reading.records[i].words[2], ~(first + i));
		assert_int_equal(reading.records[i].words[3], (first + i) * 3);
	}
}

static void assert_gap(uint64_t count, uint64_t earliest_ns, uint64_t latest_ns)
{
	assert_int_equal(reading.gap.count, count);
	assert_int_equal(reading.gap.earliest_ns, earliest_ns);
	assert_int_equal(reading.gap.latest_ns, latest_ns);
}

/* In place of the track before. Returns what track_init() returns. */
static bool init(size_t capacity, enum track_mode mode)
{
	track_fini(&track);
	memset(&track, 0, sizeof track);
	memset(&reading, 0, sizeof reading);
	return track_init(&track, capacity, mode);
}

static void make(size_t capacity, enum track_mode mode)
{
	assert_true(init(capacity, mode));
	track_restart(&track, RUN);
}

static void set_up(void)
{
	fixture_set_up();
	memset(&track, 0, sizeof track);
	memset(&reading, 0, sizeof reading);
}

static void tear_down(void)
{
	track_fini(&track);
	fixture_tear_down();
}

static const struct test_fixture fixture = {set_up, tear_down};

TEST_WITH(fixture, a_ring_of_n_keeps_n_without_a_gap)
{
	for (size_t n = 1; n <= 9; n++) {
		make(n, TRACK_RING);
		produce(0, n);
		read_max(ROOM);
		assert_records(0, n);
		assert_int_equal(reading.gap.count, 0);
	}
}

TEST_WITH(fixture, of_n_plus_one_it_has_lost_the_first_between_the_beginning_and_the_second)
{
	for (size_t n = 1; n <= 9; n++) {
		make(n, TRACK_RING);
		produce(0, n + 1);
		read_max(ROOM);
		assert_records(1, n);
		assert_gap(1, BEGAN_NS, time_of(1));
	}
}

TEST_WITH(fixture, one_that_grows_has_lost_the_last_of_n_plus_one_when_that_was)
{
	for (size_t n = 1; n <= 9; n++) {
		make(n, TRACK_GROW);
		produce(0, n);
		read_max(ROOM);
		assert_records(0, n);
		assert_int_equal(reading.gap.count, 0);
		produce(n, 1);
		read_max(ROOM);
		assert_int_equal(reading.len, 0);
		assert_gap(1, time_of(n), time_of(n));
		produce(n + 1, 3);
		read_max(ROOM);
		assert_gap(3, time_of(n), time_of(n + 3));
	}
}

TEST_WITH(fixture, what_was_not_asked_for_in_time_is_one_gap)
{
	make(4, TRACK_RING);
	produce(0, 3);
	read_max(ROOM);
	assert_records(0, 3);
	produce(3, 100);
	read_max(ROOM);
	assert_records(99, 4);
	assert_gap(96, time_of(2), time_of(99));
	read_max(ROOM);
	assert_int_equal(reading.len, 0);
	assert_int_equal(reading.gap.count, 0);
}

TEST_WITH(fixture, a_reading_with_less_room_goes_on_where_it_stopped)
{
	for (enum track_mode mode = TRACK_RING; mode <= TRACK_UNBOUNDED; mode++) {
		make(8, mode);
		produce(0, 8);
		for (uint64_t at = 0; at < 8; at += 2) {
			read_max(2);
			assert_records(at, 2);
			assert_int_equal(reading.gap.count, 0);
		}
	}
}

TEST_WITH(fixture, a_new_run_has_nothing_of_the_one_before)
{
	for (enum track_mode mode = TRACK_RING; mode <= TRACK_UNBOUNDED; mode++) {
		make(4, mode);
		produce(0, 9);
		track_restart(&track, 2);
		read_max(ROOM);
		assert_int_equal(reading.len, 0); /* of run 1 there is nothing any more */
		assert_int_equal(reading.gap.count, 0);
		produce(20, 4);
		read_run(2, ROOM);
		assert_records(20, 4);
		assert_int_equal(reading.gap.count, 0);
	}
}

TEST_WITH(fixture, nothing_is_read_of_a_run_that_its_owner_has_not_begun)
{
	assert_true(init(4, TRACK_RING));
	assert_int_equal(track_pending(&track, &reading.position, RUN), 0);
	read_max(ROOM);
	assert_int_equal(reading.len, 0);
	assert_int_equal(reading.gap.count, 0);
}

/* At random, against a plain list of all that was produced. */
TEST_WITH(fixture, any_reading_and_its_gap_are_all_that_was_produced)
{
	struct random random = {11};
	for (int round = 0; round < 2000; round++) {
		size_t capacity = 1 + random_below(&random, 20);
		enum track_mode mode = (enum track_mode)random_below(&random, TRACK_UNBOUNDED + 1);
		bool is_ring = mode == TRACK_RING;
		uint64_t produced = 0, read = 0, lost = 0;
		make(capacity, mode);
		for (int step = 0; step < 20; step++) {
			uint64_t more = random_below(&random, 30);
			produce(produced, more);
			produced += more;
			read_max(ROOM);
			uint64_t first = is_ring ? read + lost + reading.gap.count : read;
			assert_records(first, reading.len);
			read += reading.len;
			lost += reading.gap.count;
			assert_int_equal(read + lost, produced);
			assert_true(reading.gap.count == 0 || reading.gap.earliest_ns <= reading.gap.latest_ns);
			assert_true(mode != TRACK_GROW || read == (produced < capacity ? produced : capacity));
			assert_true(mode != TRACK_UNBOUNDED || read == produced);
			assert_int_equal(track_pending(&track, &reading.position, RUN), 0);
		}
	}
}

TEST_WITH(fixture, pages_are_there_ahead_of_what_is_written)
{
	size_t capacity = 5 * TRACK_AHEAD + 7;
	make(capacity, TRACK_GROW);
	assert_true(track.first->touched >= TRACK_AHEAD);
	for (uint64_t n = 0; n < capacity; n++) {
		assert_true(track.first->touched > n);
		produce(n, 1);
		track_touch(&track);
	}
	assert_int_equal(track.first->touched, capacity + 1); /* one more than records are kept */
}

TEST_WITH(fixture, touching_changes_no_record_of_whatever_run)
{
	size_t capacity = 5 * TRACK_AHEAD;
	assert_true(init(capacity, TRACK_RING));
	for (uint64_t n = 0; n < 3 * TRACK_AHEAD; n++)
		track_add(&track, &(struct track_record){{1, 2, 3, 4}});
	track_restart(&track, RUN);
	for (uint64_t n = 0; n < 2 * TRACK_AHEAD; n++) {
		produce(n, 1);
		if (n % 700 == 699)
			track_touch(&track);
	}
	for (uint64_t n = 0; n < 2 * TRACK_AHEAD; n += reading.len) {
		read_max(ROOM);
		assert_records(n, ROOM);
		assert_int_equal(reading.gap.count, 0);
	}
}

/* ---- unbounded: always another block when one is full ---- */

TEST_WITH(fixture, an_unbounded_one_gets_another_block_whenever_one_is_full_and_loses_nothing)
{
	for (size_t n = 0; n <= 13; n++) {
		make(4, TRACK_UNBOUNDED);
		produce(0, n);
		assert_int_equal(track_pending(&track, &reading.position, RUN), n);
		read_max(ROOM);
		assert_records(0, n);
		assert_int_equal(reading.gap.count, 0);
		produce(n, 5);
		read_max(ROOM);
		assert_records(n, 5);
	}
}

/* The second block is there from the beginning; the fourth one is the second allocation from then on. */
TEST_WITH(fixture, without_memory_for_a_block_an_unbounded_one_keeps_the_oldest_and_counts_the_rest)
{
	make(4, TRACK_UNBOUNDED);
	mem_fail_at(2);
	errno = 5;
	produce(0, 15);
	assert_int_equal(errno, 5);
	read_max(ROOM);
	assert_records(0, 12);
	assert_gap(3, time_of(12), time_of(14));
	produce(15, 2); /* there is memory now, but a gap must be the end */
	read_max(ROOM);
	assert_int_equal(reading.len, 0);
	assert_gap(2, time_of(14), time_of(16));
	track_restart(&track, 2);
	produce(17, 20);
	read_run(2, ROOM);
	assert_records(17, 20);
	assert_int_equal(reading.gap.count, 0);
}

/* A block of this size takes two allocations; the first one finds out whether a recording could be made. */
TEST_WITH(fixture, without_memory_for_a_recording_an_unbounded_one_gets_no_more_blocks)
{
	static const size_t capacity = (1 << 20) / sizeof(struct track_record);
	for (size_t fails = 3; fails <= 4; fails++) {
		struct track_position position = {0};
		make(capacity, TRACK_UNBOUNDED);
		mem_fail_at(fails);
		produce(0, 3 * capacity);
		assert_int_equal(mem_fail_left(), 0);
		assert_int_equal(track_pending(&track, &position, RUN), 2 * capacity);
	}
}

TEST_WITH(fixture, the_next_block_is_there_before_it_is_needed)
{
	size_t capacity = 3 * TRACK_AHEAD + 5;
	make(capacity, TRACK_UNBOUNDED);
	for (uint64_t n = 0; n < 4 * capacity; n++) {
		size_t slot = (size_t)(track.next - track.block->slots);
		bool is_last = slot == capacity;
		const struct track_block *next = (const struct track_block *)AO_load(&track.block->next);
		assert_true(is_last ? next != NULL && next->touched > 0 : track.block->touched > slot);
		produce(n, 1);
		track_touch(&track);
	}
}

TEST_WITH(fixture, later_runs_use_the_blocks_of_earlier_ones)
{
	make(4, TRACK_UNBOUNDED);
	produce(0, 40);
	size_t bytes = mem_live_bytes();
	for (uint64_t run = 2; run < 5; run++) {
		track_restart(&track, run);
		produce(0, 40);
		read_run(run, ROOM);
		assert_records(0, 40);
	}
	assert_int_equal(mem_live_bytes(), bytes);
}

TEST_WITH(fixture, the_memory_of_records_is_told)
{
	make(3 * TRACK_AHEAD, TRACK_UNBOUNDED);
	size_t ahead = track_bytes(&track);
	assert_int_equal(ahead, 2 * TRACK_AHEAD * sizeof(struct track_record));
	produce(0, 10 * TRACK_AHEAD);
	assert_int_equal(track_bytes(&track), 10 * TRACK_AHEAD * sizeof(struct track_record));
	track_restart(&track, 2);
	assert_int_equal(track_bytes(&track), ahead);
	make(4, TRACK_RING);
	produce(0, 100);
	assert_int_equal(track_bytes(&track), 5 * sizeof(struct track_record)); /* one is being written */
}

TEST_WITH(fixture, it_needs_room_for_one_at_min_and_memory)
{
	assert_false(init(0, TRACK_RING));
	assert_false(init(SIZE_MAX, TRACK_RING));
	mem_fail_at(1);
	assert_false(init(8, TRACK_RING));
}
