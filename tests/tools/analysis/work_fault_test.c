/* SPDX-License-Identifier: MIT
 * Random fork-join programs with one event that contradicts the others: each is found, at its index. */
#include "loaded.h"

#include <stmlog/timeline.h>

#include "fork_join.h"
#include "timeline_text.h"
#include "work.h"

enum { PROGRAMS = 300, STRANGER = FORK_JOIN_WORKERS + 1 };

static struct fork_join made;
static struct random random_numbers = {22};

/* An event about a task, of a thread without other events, at a time when it contradicts the others. */
struct lie {
	uint8_t kinds[2];
	size_t len;       /* of kinds */
	bool is_too_soon; /* told before the task's end; else after its start */
	size_t wrong;     /* which of the kinds cannot be */
};

static const struct lie lies[] = {
	{{STMLOG_EVENT_TASK_CREATE}, 1, false, 0},
	{{STMLOG_EVENT_TASK_START, STMLOG_EVENT_TASK_END}, 2, false, 0},
	{{STMLOG_EVENT_TOUCH_PAUSE, STMLOG_EVENT_TOUCH_RESUME}, 2, true, 1},
	{{STMLOG_EVENT_TASK_RESUME, STMLOG_EVENT_TASK_SUSPEND}, 2, true, 0},
};

static size_t event_of(uint8_t kind, uint64_t task)
{
	size_t at = 0;
	while (at < made.len && !(made.events[at].kind == kind && made.events[at].argument == task))
		at++;
	return at;
}

/* Whether the task is suspended after event `at`: then it may be resumed. */
static bool is_suspended(uint64_t task, size_t at)
{
	for (size_t i = at + 1; i-- > 0;) {
		unsigned kind = made.events[i].kind;
		bool is_change = kind >= STMLOG_EVENT_TASK_START && kind <= STMLOG_EVENT_TASK_END;
		if (is_change && made.events[i].argument == task)
			return kind == STMLOG_EVENT_TASK_SUSPEND;
	}
	return false;
}

/* Whether it is a lie when told right behind event `at`; time goes on there, so that no other order explains it. */
static bool is_false_behind(const struct lie *lie, uint64_t task, size_t at)
{
	size_t start = event_of(STMLOG_EVENT_TASK_START, task), end = event_of(STMLOG_EVENT_TASK_END, task);
	if (at + 1 >= made.len || made.events[at].time_ns == made.events[at + 1].time_ns)
		return false;
	if (lie->kinds[0] == STMLOG_EVENT_TASK_RESUME && is_suspended(task, at))
		return false;
	return lie->is_too_soon ? at < end : at >= start;
}

static void write_event(struct writer *writer, const struct fork_join_event *event)
{
	writer_event(writer, &(struct stmlog_event_record){.time_ns = event->time_ns,
				     .argument = event->argument,
				     .thread = event->thread,
				     .kind = event->kind});
}

/* Returns the index of the wrong event. */
static size_t write_with_lie(struct writer *writer, const struct lie *lie, uint64_t task, size_t at)
{
	size_t index = at + 2 + lie->wrong; /* the stranger's attaching comes first */
	timeline_text(writer, 0, "");
	write_event(writer, &(struct fork_join_event){.thread = STRANGER, .kind = STMLOG_EVENT_ATTACH});
	for (size_t i = 0; i < made.len; i++) {
		write_event(writer, &made.events[i]);
		for (size_t k = 0; i == at && k < lie->len; k++)
			write_event(writer, &(struct fork_join_event){.time_ns = made.events[at].time_ns + 1,
						    .argument = task,
						    .thread = STRANGER,
						    .kind = lie->kinds[k]});
	}
	return index;
}

static void expect_found(struct writer *writer, size_t index)
{
	struct recording recording;
	struct work work;
	assert_int_equal(load_written(&recording, writer), RECORDING_WHOLE);
	assert_false(work_build(&work, &recording));
	assert_int_equal(work.fault_at, index);
	assert_int_equal(work.tasks.len + work.regions.len, 0);
	work_fini(&work);
	recording_fini(&recording);
}

/* Leaves room for a time between any two events. */
static void make_program(void)
{
	fork_join_make(&made, &random_numbers, true);
	for (size_t i = 0; i < made.len; i++)
		made.events[i].time_ns *= 2;
}

TEST(each_lie_is_found_at_its_event)
{
	size_t told[sizeof lies / sizeof lies[0]] = {0};
	for (size_t i = 0; i < PROGRAMS; i++) {
		size_t which = random_below(&random_numbers, sizeof lies / sizeof lies[0]);
		struct writer writer;
		make_program();
		size_t at = random_below(&random_numbers, (uint32_t)made.len);
		uint64_t task = made.events[at].argument;
		bool is_task = event_of(STMLOG_EVENT_TASK_CREATE, task) <= at;
		if (!is_task || !is_false_behind(&lies[which], task, at))
			continue;
		size_t index = write_with_lie(&writer, &lies[which], task, at);
		expect_found(&writer, index);
		told[which]++;
	}
	for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++)
		assert_in_range(told[i], 5, PROGRAMS);
}
