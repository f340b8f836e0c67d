/* SPDX-License-Identifier: MIT
 * Waits of tasks by their words. */
#include "loaded.h"

#include <stmlog/timeline.h>

#include "timeline_text.h"
#include "word_totals.h"

static struct writer writer;
static struct recording recording;
static struct tasks tasks;
static struct word_totals totals;

static void build(uint32_t threads, const char *text)
{
	timeline_text(&writer, threads, text);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	if (!tasks_build(&tasks, &recording))
		fail_msg("event %zu: %s", tasks.fault_at, tasks.fault);
	totals = word_totals_of(&recording, &tasks);
}

static void drop(void)
{
	word_totals_fini(&totals);
	tasks_fini(&tasks);
	recording_fini(&recording);
}

static void expect(size_t at, const char *word, unsigned kind, uint64_t count, uint64_t time_ns)
{
	assert_in_range(at, 0, totals.len - 1);
	const struct word_total *total = &totals.totals[at];
	if (word == NULL)
		assert_null(total->word);
	else
		assert_string_equal(total->word, word);
	assert_int_equal(total->kind, kind);
	assert_int_equal(total->count, count);
	assert_int_equal(total->time_ns, time_ns);
}

TEST(without_waits_there_are_no_totals)
{
	build(1, "1 1 task-start 1\n2 1 task-end 1\n");
	assert_int_equal(totals.len, 0);
	drop();
}

TEST(totals_by_primitive_are_by_word_and_kind_longest_first)
{
	build(2, "10 1 task-start 1\n20 1 task-suspend 1 read\n50 1 task-resume 1\n60 1 task-suspend 1 read\n"
		 "65 1 task-resume 1\n70 1 task-suspend 1 lock\n170 2 task-resume 1\n180 2 task-end 1\n"
		 "190 2 touch-pause 1 read\n200 2 touch-resume 1\n210 2 touch-pause 1\n213 2 touch-resume 1\n");
	assert_int_equal(totals.len, 4);
	expect(0, "lock", STMLOG_EVENT_TASK_SUSPEND, 1, 100);
	expect(1, "read", STMLOG_EVENT_TASK_SUSPEND, 2, 35);
	expect(2, "read", STMLOG_EVENT_TOUCH_PAUSE, 1, 10);
	expect(3, NULL, STMLOG_EVENT_TOUCH_PAUSE, 1, 3);
	drop();
}

TEST(a_wait_that_does_not_end_counts_without_time)
{
	build(2, "10 1 task-start 1\n20 1 task-suspend 1\n30 2 task-start 2\n40 1 touch-pause 2\n90 2 mark\n");
	assert_int_equal(totals.len, 2);
	expect(0, NULL, STMLOG_EVENT_TASK_SUSPEND, 1, 0);
	expect(1, NULL, STMLOG_EVENT_TOUCH_PAUSE, 1, 0);
	drop();
}
