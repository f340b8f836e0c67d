/* SPDX-License-Identifier: MIT
 * What the members of an event mean, by its kind. */
#include "loaded.h"

#include "event.h"
#include "timeline_text.h"

static struct writer writer;
static struct recording recording;

static const struct stmlog_event_record *only(const char *line)
{
	timeline_text(&writer, 0, line);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	assert_int_equal(recording.event_count, 1);
	return &recording.events[0];
}

static void expect_text(const char *line, const char *expected)
{
	OWNED(owned_free) char *text = event_task_text(&recording, only(line));
	if (expected == NULL)
		assert_null(text);
	else
		assert_string_equal(text, expected);
	recording_fini(&recording);
}

TEST(an_event_about_a_task_is_told_by_detail_word_and_value)
{
	expect_text("1 1 task-create 7", NULL);
	expect_text("1 1 task-start 7 - 0", NULL);
	expect_text("1 1 task-start 7 - 1", "bound");
	expect_text("1 1 task-resume 7 - 2", "after-overflow");
	expect_text("1 1 task-suspend 7 memory", "memory");
	expect_text("1 1 touch-pause 7 result 0 3", "result, value 3");
	expect_text("1 1 touch-pause 7 - 0 3", "value 3");
	expect_text("1 1 block-begin 7 allocate 0 4294967295", "operation, allocate, value 4294967295");
	expect_text("1 1 block-begin 7 allocate 1", "deferred, allocate");
	expect_text("1 1 block-begin 7 - 2 8", "touch, value 8");
	expect_text("1 1 block-begin 7 - 3", "overflow");
	expect_text("1 1 block-end 7", NULL);
	expect_text("1 1 block-end 7 - 1", "error");
	expect_text("1 1 handle-end 7 - 1", "error");
	expect_text("1 1 task-end 7 - 2", "abandoned");
}

TEST(the_value_has_48_bits_and_is_not_another_thread)
{
	struct stmlog_event_record event = *only("1 1 block-begin 7 - 0 5");
	assert_int_equal(event_value(&event), 5);
	assert_int_equal(event_other(&event), 0);
	event.reason = 0xff;
	event.contention = 0x80;
	assert_true(event_value(&event) == UINT64_C(0x80ff00000005));
	event.kind = STMLOG_EVENT_ABORT;
	assert_int_equal(event_value(&event), 0);
	assert_int_equal(event_other(&event), 5);
	recording_fini(&recording);
}
