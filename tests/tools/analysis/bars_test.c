/* SPDX-License-Identifier: MIT
 * The calls of a sink, as text: a word per call; "(" opens a bar, ")" closes it. */
#include "loaded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stmlog/timeline.h>

#include "bars.h"
#include "random.h"
#include "recording_sample.h"

#define E(kind_, thread_, ns, ...)                                                                       \
	(struct stmlog_event_record)                                                                     \
	{                                                                                                \
		.kind = STMLOG_EVENT_##kind_, .thread = (thread_), .time_ns = (ns), .other = __VA_ARGS__ \
	}

struct told {
	char text[4096];
	size_t len;
	const struct recording *recording;
};

static void tell(struct told *told, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void tell(struct told *told, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	told->len += (size_t)vsnprintf(told->text + told->len, sizeof told->text - told->len, format, arguments);
	va_end(arguments);
}

static const char *name_of(const struct told *told, size_t index)
{
	return stmlog_event_name(told->recording->events[index].kind);
}

static void tell_open(void *arg, const struct bar *bar)
{
	struct told *told = arg;
	tell(told, " %zu:(%s", bar->lane, name_of(told, bar->index));
	tell(told, "/%zu[%d..%d]", bar->depth, (int)bar->from_ns, (int)bar->until_ns);
}

static void tell_close(void *arg, const struct bar *bar)
{
	struct told *told = arg;
	tell(told, " %zu:%s", bar->lane, bar->closed_by != BAR_NONE ? name_of(told, bar->closed_by) : "");
	tell(told, ")");
}

static void tell_point(void *arg, const struct bar_point *point)
{
	struct told *told = arg;
	tell(told, " %zu:%s%s@%d", point->lane, point->is_culprit ? "culprit-of-" : "", name_of(told, point->index),
		(int)point->time_ns);
	if (point->arrow != 0 && !point->is_arrow_end)
		tell(told, ">%d", (int)point->arrow);
	if (point->is_arrow_end)
		tell(told, "<%d from %zu@%d", (int)point->arrow, point->arrow_lane, (int)point->arrow_ns);
}

static const struct bar_sink teller = {tell_open, tell_close, tell_point};

static struct writer writer;

static void walk(struct recording *recording, const struct stmlog_event_record *events, size_t len,
	const struct bar_sink *sink, void *arg)
{
	recording_sample(&writer);
	writer_event_place(&writer, &(struct stmlog_place_record){0});
	for (size_t i = 0; i < len; i++)
		writer_event(&writer, &events[i]);
	assert_int_equal(load_written(recording, &writer), RECORDING_WHOLE);
	struct bar_lanes lanes = bar_lanes_of(recording);
	bars_walk(recording, &lanes, sink, arg, NULL);
	bar_lanes_fini(&lanes);
	recording_fini(recording);
}

static void expect(const char *wanted, const struct stmlog_event_record *events, size_t len)
{
	struct recording recording;
	struct told told = {.recording = &recording};
	walk(&recording, events, len, &teller, &told);
	assert_string_equal(told.text, wanted);
}

#define EXPECT(wanted, ...)                                               \
	do {                                                              \
		const struct stmlog_event_record list_[] = {__VA_ARGS__}; \
		expect((wanted), list_, sizeof list_ / sizeof list_[0]);  \
	} while (0)

TEST(attempts_and_waits_are_bars_of_one_row)
{
	EXPECT(" 0:(start/0[1..9] 0:(wait-begin/1[2..5] 0:wait-end) 0:commit)", E(START, 1, 1, 0),
		E(WAIT_BEGIN, 1, 2, 0), E(WAIT_END, 1, 5, 0), E(COMMIT, 1, 9, 0));
}

TEST(rows_have_nothing_to_do_with_each_other)
{
	EXPECT(" 0:(task-start/0[1..6] 0:(region-begin/0[2..4] 0:(start/0[3..5] 0:region-end) 0:commit) 0:task-end)",
		E(TASK_START, 1, 1, 0), E(REGION_BEGIN, 1, 2, 0), E(START, 1, 3, 0), E(REGION_END, 1, 4, 0),
		E(COMMIT, 1, 5, 0), E(TASK_END, 1, 6, 0));
}

TEST(regions_nest)
{
	EXPECT(" 0:(region-begin/0[1..4] 0:(region-begin/1[2..3] 0:region-end) 0:region-end)", E(REGION_BEGIN, 1, 1, 0),
		E(REGION_BEGIN, 1, 2, 0), E(REGION_END, 1, 3, 0), E(REGION_END, 1, 4, 0));
}

TEST(an_abort_has_an_arrow_from_its_culprit)
{
	EXPECT(" 1:(start/0[1..3] 0:culprit-of-abort@3>2 1:abort@3<2 from 0@3 1:abort)", E(START, 2, 1, 0),
		E(ABORT, 2, 3, 1));
	EXPECT(" 0:(start/0[1..3] 0:abort@3 0:abort)", E(START, 2, 1, 0), E(ABORT, 2, 3, 0));
}

TEST(an_arrow_begins_where_the_culprit_has_said_so_itself)
{
	EXPECT(" 1:(start/0[1..5] 0:abort-other@2>3 1:abort@5<3 from 0@2 1:abort)", E(START, 2, 1, 0),
		E(ABORT_OTHER, 1, 2, 2), E(ABORT, 2, 5, 1, .reason = STMLOG_ABORTED_BY_OTHER));
}

TEST(what_somebody_else_has_said_or_another_attempt_has_heard_begins_no_arrow)
{
	EXPECT(" 1:(start/0[1..5] 2:abort-other@2 0:culprit-of-abort@5>3 1:abort@5<3 from 0@5 1:abort)",
		E(START, 2, 1, 0), E(ABORT_OTHER, 3, 2, 2), E(ABORT, 2, 5, 1, .reason = STMLOG_ABORTED_BY_OTHER));
	EXPECT(" 1:(start/0[1..3] 0:abort-other@2 1:commit) 1:(start/0[4..5] 0:culprit-of-abort@5>5 1:abort@5<5 from "
	       "0@5 "
	       "1:abort)",
		E(START, 2, 1, 0), E(ABORT_OTHER, 1, 2, 2), E(COMMIT, 2, 3, 0), E(START, 2, 4, 0),
		E(ABORT, 2, 5, 1, .reason = STMLOG_ABORTED_BY_OTHER));
}

TEST(a_gap_closes_what_is_open_and_is_a_bar_itself)
{
	EXPECT(" 0:(start/0[1..4] 0:(wait-begin/1[2..4] 0:missing) 0:missing) 0:(missing/0[4..6] 0:) 0:commit@9",
		E(START, 1, 1, 0), E(WAIT_BEGIN, 1, 2, 0), E(MISSING, 1, 4, 0, .place = 2, .argument = 3),
		E(COMMIT, 1, 9, 0));
}

TEST(the_end_of_a_thread_closes_what_is_open)
{
	EXPECT(" 0:attach@1 0:(start/0[2..3] 0:(touch-pause/0[2..3] 0:detach) 0:detach) 0:detach@3", E(ATTACH, 1, 1, 0),
		E(START, 1, 2, 0), E(TOUCH_PAUSE, 1, 2, 0), E(DETACH, 1, 3, 0));
}

TEST(what_is_open_in_the_end_lasts_till_then)
{
	EXPECT(" 0:(start/0[1..8] 1:mark@8 0:)", E(START, 1, 1, 0), E(MARK, 2, 8, 0));
	EXPECT(" 0:(start/0[1..12] 1:(missing/0[8..12] 0:) 1:)", E(START, 1, 1, 0),
		E(MISSING, 2, 8, 0, .place = 4, .argument = 1));
}

TEST(an_abort_behind_a_gap_has_its_arrow_and_no_bar)
{
	EXPECT(" 1:(missing/0[1..1] 1:) 0:culprit-of-abort@2>2 1:abort@2<2 from 0@2",
		E(MISSING, 2, 1, 0, .argument = 1), E(ABORT, 2, 2, 1));
}

TEST(nothing_is_drawn_of_nothing)
{
	expect("", NULL, 0);
}

/* ---- any events ---- */

enum { THREADS = 4, MANY = 200, ROUNDS = 500 };

/* Checks what holds for each walk. */
struct watch {
	const struct stmlog_event_record *events;
	const struct bar *open[THREADS + 1][STMLOG_ROWS][MANY];
	size_t depth[THREADS + 1][STMLOG_ROWS];
	size_t opened, closed, aborts, events_seen, arrows_begun, arrows_ended;
	bool has_begun[MANY + 1];
};

static void watch_open(void *arg, const struct bar *bar)
{
	struct watch *watch = arg;
	size_t *depth = &watch->depth[bar->lane][bar->row];
	assert_int_equal(bar->depth, *depth);
	assert_true(bar->until_ns >= bar->from_ns);
	if (*depth > 0)
		assert_true(bar->until_ns <= watch->open[bar->lane][bar->row][*depth - 1]->until_ns);
	watch->open[bar->lane][bar->row][(*depth)++] = memcpy(malloc(sizeof *bar), bar, sizeof *bar);
	watch->opened++;
}

static void watch_close(void *arg, const struct bar *bar)
{
	struct watch *watch = arg;
	const struct bar *top = watch->open[bar->lane][bar->row][--watch->depth[bar->lane][bar->row]];
	assert_int_equal(bar->index, top->index);
	assert_int_equal(bar->closed_by, top->closed_by); /* was known from the beginning */
	assert_int_equal(bar->until_ns, top->until_ns);
	free((void *)(uintptr_t)top);
	watch->closed++;
}

static void watch_point(void *arg, const struct bar_point *point)
{
	struct watch *watch = arg;
	bool begins = point->arrow != 0 && !point->is_arrow_end;
	watch->aborts += watch->events[point->index].kind == STMLOG_EVENT_ABORT && !point->is_culprit;
	watch->arrows_begun += begins;
	watch->arrows_ended += point->is_arrow_end;
	if (begins) {
		assert_false(watch->has_begun[point->arrow]);
		watch->has_begun[point->arrow] = true;
	}
	if (point->is_arrow_end) {
		assert_int_equal(point->arrow, point->index + 1);
		assert_true(watch->has_begun[point->arrow]);
	}
}

static const struct bar_sink watcher = {watch_open, watch_close, watch_point};

TEST(whatever_comes_each_bar_is_opened_and_closed_once_and_each_arrow_has_two_ends)
{
	struct stmlog_event_record events[MANY];
	struct random random = {20261121};
	for (int round = 0; round < ROUNDS; round++) {
		struct watch watch = {.events = events};
		struct recording recording;
		size_t opens = 0, aborts = 0, arrows = 0, len = random_below(&random, MANY + 1);
		for (size_t i = 0; i < len; i++) {
			events[i] = (struct stmlog_event_record){
				.time_ns = i / 3,
				.thread = 1 + (uint32_t)random_below(&random, THREADS),
				.other = (uint32_t)random_below(&random, THREADS + 1),
				.kind = (uint8_t)random_below(&random, STMLOG_EVENT_KINDS),
				.reason = STMLOG_ABORTED_BY_OTHER,
			};
			unsigned kind = events[i].kind;
			if (kind == STMLOG_EVENT_MISSING)
				events[i].other = 0;
			opens += kind == STMLOG_EVENT_START || kind == STMLOG_EVENT_WAIT_BEGIN ||
				 kind == STMLOG_EVENT_TASK_START || kind == STMLOG_EVENT_TASK_RESUME ||
				 kind == STMLOG_EVENT_TOUCH_PAUSE || kind == STMLOG_EVENT_REGION_BEGIN ||
				 kind == STMLOG_EVENT_MISSING || kind == STMLOG_EVENT_BLOCK_BEGIN ||
				 kind == STMLOG_EVENT_HANDLE_BEGIN;
			aborts += kind == STMLOG_EVENT_ABORT;
			arrows += kind == STMLOG_EVENT_ABORT && events[i].other != 0;
		}
		walk(&recording, events, len, &watcher, &watch);
		assert_int_equal(watch.opened, opens);
		assert_int_equal(watch.closed, opens);
		assert_int_equal(watch.aborts, aborts);
		assert_int_equal(watch.arrows_begun, arrows);
		assert_int_equal(watch.arrows_ended, arrows);
	}
}

/* ---- lanes ---- */

TEST(lanes_are_the_threads_that_have_events_or_were_in_the_way)
{
	OWNED(recording_fini) struct recording recording;
	recording_sample(&writer);
	writer_event_place(&writer, &(struct stmlog_place_record){0});
	for (uint32_t i = 20000; i > 0; i--)
		writer_event(&writer, &E(ABORT, 2 * i, 1, i == 7 ? 5 : 0));
	writer_event(&writer, &E(MISSING, 8, 1, 9)); /* that is no thread */
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	OWNED(bar_lanes_fini) struct bar_lanes lanes = bar_lanes_of(&recording);
	assert_int_equal(lanes.len, 20001);
	for (size_t i = 1; i < lanes.len; i++)
		assert_true(lanes.lanes[i].thread > lanes.lanes[i - 1].thread);
	for (size_t i = 0; i < lanes.len; i++)
		assert_int_equal(bar_lane_of(&lanes, lanes.lanes[i].thread), i);
	assert_int_equal(lanes.lanes[2].thread, 5);
	assert_int_equal(bar_lane_of(&lanes, 9), BAR_NONE);
	assert_int_equal(bar_lane_of(&lanes, 0), BAR_NONE);
	assert_int_equal(bar_lane_of(&lanes, UINT32_MAX), BAR_NONE);
}

/* The numbers of the lanes of threads 1 and 2, which have these numbers of the system's. */
static void assert_tids(uint32_t first, uint32_t second, uint32_t expected_first, uint32_t expected_second)
{
	OWNED(recording_fini) struct recording recording;
	recording_sample(&writer);
	struct stmlog_thread_record *threads = (void *)writer.sections[STMLOG_SECTION_THREADS].bytes;
	threads[0].system_id = first;
	threads[1].system_id = second;
	writer_event(&writer, &E(ABORT, 1, 5, 2));
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	OWNED(bar_lanes_fini) struct bar_lanes lanes = bar_lanes_of(&recording);
	assert_int_equal(lanes.len, 2);
	assert_int_equal(lanes.lanes[0].tid, expected_first);
	assert_int_equal(lanes.lanes[1].tid, expected_second);
}

TEST(lanes_have_the_systems_numbers_if_each_has_one_of_its_own)
{
	assert_tids(4711, 4712, 4711, 4712);
	assert_tids(2, 1, 2, 1);
	assert_tids(4711, 4711, 1, 2);
	assert_tids(0, 4712, 1, 2);
	assert_tids(0, 0, 1, 2);
}
