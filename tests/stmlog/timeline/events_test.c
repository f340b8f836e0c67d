/* SPDX-License-Identifier: MIT
 * Spans about tasks within each other: which may be opened and closed, how deep, and without memory. */
#include "events.h"

#include "fixture.h"
#include "mem.h"

static struct task_nest nest;

static enum task_nest_answer apply(enum stmlog_event_kind kind, uint64_t task)
{
	return task_nest_apply(&nest, &event_rules[kind], task);
}

TEST_WITH(no_leaks, only_the_innermost_span_of_a_row_is_closed)
{
	assert_int_equal(apply(STMLOG_EVENT_TASK_END, 1), TASK_NEST_SHUT);
	assert_int_equal(apply(STMLOG_EVENT_TASK_START, 1), TASK_NEST_FITS);
	assert_int_equal(apply(STMLOG_EVENT_TASK_RESUME, 2), TASK_NEST_IN_ITSELF);
	assert_int_equal(apply(STMLOG_EVENT_TASK_END, 2), TASK_NEST_ANOTHER);
	assert_int_equal(apply(STMLOG_EVENT_HANDLE_END, 1), TASK_NEST_ANOTHER);
	assert_int_equal(apply(STMLOG_EVENT_TOUCH_RESUME, 1), TASK_NEST_SHUT);
	assert_int_equal(nest.len, 1);
	assert_int_equal(apply(STMLOG_EVENT_TOUCH_PAUSE, 2), TASK_NEST_FITS);
	assert_int_equal(apply(STMLOG_EVENT_TASK_END, 1), TASK_NEST_FITS); /* of the other row */
	assert_int_equal(apply(STMLOG_EVENT_TOUCH_RESUME, 2), TASK_NEST_FITS);
	assert_int_equal(nest.len, 0);
	task_nest_fini(&nest);
}

TEST_WITH(no_leaks, spans_nest_as_deep_as_there_is_memory)
{
	enum { DEEP = 1000 };
	for (uint64_t depth = 0; depth < DEEP; depth++)
		assert_int_equal(apply(STMLOG_EVENT_TOUCH_PAUSE, depth), TASK_NEST_FITS);
	for (uint64_t depth = DEEP; depth-- > 0;) {
		assert_int_equal(apply(STMLOG_EVENT_TOUCH_RESUME, depth + 1), TASK_NEST_ANOTHER);
		assert_int_equal(apply(STMLOG_EVENT_TOUCH_RESUME, depth), TASK_NEST_FITS);
	}
	task_nest_fini(&nest);
}

TEST_WITH(no_leaks, spans_without_memory_are_counted_until_they_are_closed)
{
	size_t depth = 0;
	mem_fail_at(1);
	assert_int_equal(apply(STMLOG_EVENT_HANDLE_BEGIN, 0), TASK_NEST_NO_MEMORY);
	assert_int_equal(apply(STMLOG_EVENT_TASK_START, 1), TASK_NEST_NO_MEMORY);
	assert_int_equal(apply(STMLOG_EVENT_TASK_START, 2), TASK_NEST_NO_MEMORY);
	for (int i = 0; i < 3; i++)
		assert_int_equal(apply(STMLOG_EVENT_TASK_END, 1), TASK_NEST_NO_MEMORY);
	assert_int_equal(apply(STMLOG_EVENT_TASK_END, 1), TASK_NEST_SHUT);
	while (depth == 0 || nest.len < nest.cap)
		assert_int_equal(apply(STMLOG_EVENT_HANDLE_BEGIN, depth++), TASK_NEST_FITS);
	mem_fail_at(1);
	assert_int_equal(apply(STMLOG_EVENT_HANDLE_BEGIN, depth), TASK_NEST_NO_MEMORY);
	assert_int_equal(apply(STMLOG_EVENT_HANDLE_END, depth), TASK_NEST_NO_MEMORY);
	assert_int_equal(apply(STMLOG_EVENT_HANDLE_END, depth - 1), TASK_NEST_FITS);
	task_nest_fini(&nest);
}
