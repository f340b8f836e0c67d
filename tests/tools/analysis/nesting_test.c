/* SPDX-License-Identifier: MIT
 * What a thread works on, by the spans that are open on it. */
#include "nesting.h"

#include "tasks.h"
#include "test.h"

static void open_by(struct nesting *nesting, unsigned kind, size_t task)
{
	nesting_open(nesting, stmlog_event_rule_of(kind), task, TASKS_NONE);
}

TEST(a_thread_works_on_the_innermost_task_unless_it_waits)
{
	struct nesting nesting = {.len = 0};
	assert_true(nesting_task(&nesting) == TASKS_NONE);
	assert_null(nesting_innermost(&nesting, STMLOG_ROW_TASKS));
	open_by(&nesting, STMLOG_EVENT_TASK_START, 1);
	assert_int_equal(nesting_task(&nesting), 1);
	open_by(&nesting, STMLOG_EVENT_BLOCK_BEGIN, 1);
	assert_true(nesting_task(&nesting) == TASKS_NONE);
	assert_int_equal(nesting_innermost(&nesting, STMLOG_ROW_TASKS)->task, 1);
	open_by(&nesting, STMLOG_EVENT_HANDLE_BEGIN, 2);
	assert_int_equal(nesting_task(&nesting), 2);
	nesting_close(&nesting, STMLOG_ROW_TOUCHES);
	assert_int_equal(nesting_task(&nesting), 2);
	nesting_close(&nesting, STMLOG_ROW_TASKS);
	assert_int_equal(nesting_task(&nesting), 1);
	nesting_close(&nesting, STMLOG_ROW_TASKS);
	nesting_close(&nesting, STMLOG_ROW_TASKS); /* the beginning of this one is missing */
	assert_int_equal(nesting.len, 0);
	nesting_fini(&nesting);
}
