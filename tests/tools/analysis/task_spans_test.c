/* SPDX-License-Identifier: MIT
 * What a thread works on, by the spans that are open on it. */
#include "task_spans.h"

#include "tasks.h"
#include "test.h"

static void open_by(struct task_spans *spans, unsigned kind, size_t task)
{
	task_spans_open(spans, stmlog_event_rule_of(kind), task, TASKS_NONE);
}

TEST(a_thread_works_on_the_innermost_task_unless_it_waits)
{
	struct task_spans spans = {.len = 0};
	assert_true(task_spans_task(&spans) == TASKS_NONE);
	assert_null(task_spans_innermost(&spans, STMLOG_ROW_TASKS));
	open_by(&spans, STMLOG_EVENT_TASK_START, 1);
	assert_int_equal(task_spans_task(&spans), 1);
	open_by(&spans, STMLOG_EVENT_BLOCK_BEGIN, 1);
	assert_true(task_spans_task(&spans) == TASKS_NONE);
	assert_int_equal(task_spans_innermost(&spans, STMLOG_ROW_TASKS)->task, 1);
	open_by(&spans, STMLOG_EVENT_HANDLE_BEGIN, 2);
	assert_int_equal(task_spans_task(&spans), 2);
	task_spans_close(&spans, STMLOG_ROW_TOUCHES);
	assert_int_equal(task_spans_task(&spans), 2);
	task_spans_close(&spans, STMLOG_ROW_TASKS);
	assert_int_equal(task_spans_task(&spans), 1);
	task_spans_close(&spans, STMLOG_ROW_TASKS);
	task_spans_close(&spans, STMLOG_ROW_TASKS); /* the beginning of this one is missing */
	assert_int_equal(spans.len, 0);
	task_spans_fini(&spans);
}
