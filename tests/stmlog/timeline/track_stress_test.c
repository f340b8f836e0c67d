/* SPDX-License-Identifier: MIT
 * A reader reads a track while the owner writes on: it gets no record torn or twice, and each record that it does not
 * get is counted in a gap. */
#include "track.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "fixture.h"
#include "stress.h"

enum { RUNS = 20, ROOM = 256 };

static uint64_t per_run;

struct scene {
	struct track track;
	atomic_bool is_over;
	uint64_t run; /* the one that is read */
};

/* Any word tells what the others have to be. */
static struct track_record record_of(uint64_t run, uint64_t n)
{
	return (struct track_record){{n + 1, run << 32 | n, ~n, (n + run) * 0x9e3779b97f4a7c15u}};
}

static void *write_on(void *arg)
{
	struct scene *scene = arg;
	for (uint64_t n = 0; n < per_run; n++) {
		struct track_record record = record_of(scene->run, n);
		track_add(&scene->track, &record);
		track_touch(&scene->track);
	}
	atomic_store(&scene->is_over, true);
	return NULL;
}

static void check_records(uint64_t run, uint64_t first, const struct track_record *records, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		struct track_record expected = record_of(run, first + i);
		assert_memory_equal(&records[i], &expected, sizeof expected);
	}
}

/* Record n has the time n + 1. The gap has the `count` records from number `first` on. */
static void check_bounds(const struct track_gap *gap, uint64_t first)
{
	if (gap->count == 0)
		return;
	assert_in_range(gap->earliest_ns, 0, first + 1);
	assert_in_range(gap->latest_ns, first + gap->count, UINT64_MAX);
}

/* The records that a ring has lost come before the records read with the gap. Those that found no room come after. */
static void read_while_it_writes(size_t capacity, enum track_mode mode)
{
	bool is_ring = mode == TRACK_RING;
	struct scene scene = {.run = 0};
	assert_true(track_init(&scene.track, capacity, mode));
	for (scene.run = 1; scene.run <= RUNS; scene.run++) {
		pthread_t writer;
		struct track_position position = {0};
		struct track_record records[ROOM];
		struct track_gap gap;
		uint64_t seen = 0;
		bool is_last = false;
		atomic_store(&scene.is_over, false);
		track_restart(&scene.track, scene.run);
		assert_int_equal(pthread_create(&writer, NULL, write_on, &scene), 0);
		do {
			is_last = atomic_load(&scene.is_over);
			size_t len;
			do {
				len = track_read(&scene.track, &position, scene.run, 0, records, ROOM, &gap);
				check_bounds(&gap, is_ring ? seen : seen + len);
				seen += is_ring ? gap.count : 0;
				check_records(scene.run, seen, records, len);
				seen += len + (is_ring ? 0 : gap.count);
			} while (len + gap.count > 0);
		} while (!is_last);
		pthread_join(writer, NULL);
		assert_int_equal(seen, per_run);
	}
	track_fini(&scene.track);
}

TEST_WITH(no_leaks, of_a_ring_all_is_read_or_in_a_gap)
{
	read_while_it_writes(1, TRACK_RING);
	read_while_it_writes(7, TRACK_RING);
	read_while_it_writes(1000, TRACK_RING);
}

TEST_WITH(no_leaks, of_one_that_grows_all_is_read_or_in_a_gap)
{
	read_while_it_writes(7, TRACK_GROW);
	read_while_it_writes(per_run / 2, TRACK_GROW);
	read_while_it_writes(per_run, TRACK_GROW);
}

TEST_WITH(no_leaks, of_an_unbounded_one_all_is_read)
{
	read_while_it_writes(7, TRACK_UNBOUNDED);
	read_while_it_writes(1000, TRACK_UNBOUNDED);
}

/* ---- runs that begin while the reader is at an earlier one ---- */

static void *begin_runs(void *arg)
{
	struct scene *scene = arg;
	for (uint64_t run = 2; run <= per_run / 10; run++) {
		track_restart(&scene->track, run);
		for (uint64_t n = 0; n < run * 7 % 60; n++) {
			struct track_record record = record_of(run, n);
			track_add(&scene->track, &record);
		}
	}
	atomic_store(&scene->is_over, true);
	return NULL;
}

/* The words of a record tell its run. */
static void check_run(uint64_t run, const struct track_record *records, size_t len)
{
	for (size_t i = 0; i < len; i++)
		assert_int_equal(records[i].words[1] >> 32, run);
}

TEST_WITH(no_leaks, a_reader_of_an_earlier_run_gets_none_of_a_later_one)
{
	for (enum track_mode mode = TRACK_RING; mode <= TRACK_UNBOUNDED; mode++) {
		struct scene scene = {.run = 0};
		struct track_position position = {0};
		struct track_record records[ROOM];
		struct track_gap gap;
		pthread_t writer;
		assert_true(track_init(&scene.track, 4, mode));
		assert_int_equal(pthread_create(&writer, NULL, begin_runs, &scene), 0);
		while (!atomic_load(&scene.is_over)) {
			uint64_t run = AO_load_acquire(&scene.track.run);
			for (int i = 0; i < 3 && run != 0; i++)
				check_run(
					run, records, track_read(&scene.track, &position, run, 0, records, ROOM, &gap));
		}
		pthread_join(writer, NULL);
		track_fini(&scene.track);
	}
}

static void choose_events(void)
{
	per_run = stress_times(20000);
}

static const struct test_fixture fixture = {choose_events, NULL};

GROUP_WITH(fixture);
