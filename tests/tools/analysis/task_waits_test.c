/* SPDX-License-Identifier: MIT
 * How long tasks stood still, by kind and word. */
#include "loaded.h"

#include "task_waits.h"
#include "timeline_text.h"

static struct writer writer;

static void expect(uint32_t threads, const char *text, const char *expected)
{
	struct recording recording;
	struct tasks tasks;
	char found[512] = "";
	timeline_text(&writer, threads, text);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	if (!tasks_build(&tasks, &recording))
		fail_msg("event %zu: %s", tasks.fault_at, tasks.fault);
	struct task_waits waits = task_waits_of(&recording, &tasks);
	for (size_t i = 0; i < waits.len; i++) {
		const struct task_wait *wait = &waits.waits[i];
		size_t len = strlen(found);
		snprintf(found + len, sizeof found - len, "%s(%s) %zu/%zu %zu+%zu; ", task_wait_names[wait->kind],
			wait->word, wait->abandoned, wait->count, (size_t)wait->time_ns, (size_t)wait->handled_ns);
	}
	assert_string_equal(found, expected);
	task_waits_fini(&waits);
	tasks_fini(&tasks);
	recording_fini(&recording);
}

TEST(there_is_nothing_to_add_up_without_waits)
{
	expect(1, "", "");
	expect(1, "1 1 task-start 1\n2 1 task-end 1\n", "");
}

TEST(blocks_touches_and_suspensions_are_added_up_by_word)
{
	expect(2,
		"1 1 task-start 1\n2 1 block-begin 1 allocate\n3 2 handle-begin 1\n7 2 handle-end 1\n8 1 block-end 1\n"
		"10 1 block-begin 1 allocate\n11 1 block-end 1 - 2\n11 1 task-suspend 1 memory\n"
		"20 1 task-resume 1\n21 1 task-suspend 1 memory\n22 2 handle-begin 1\n23 2 handle-end 1\n"
		"24 2 touch-pause 1 result\n25 1 task-resume 1\n26 1 task-end 1\n29 2 touch-resume 1\n",
		"suspended(memory) 0/2 13+0; blocked(allocate) 1/2 7+5; touch(result) 0/1 5+0; ");
}

TEST(a_wait_without_an_end_has_no_time)
{
	expect(2, "1 1 task-start 1\n2 1 block-begin 1\n3 2 touch-pause 1\n9 2 mark\n",
		"blocked() 0/1 0+0; touch() 0/1 0+0; ");
}
