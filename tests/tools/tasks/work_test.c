/* SPDX-License-Identifier: MIT
 * Random fork-join programs, read by the tools and, beside that, by the letter of work.h: each question is answered
 * by looking through all events again. */
#include "loaded.h"

#include <stmlog/timeline.h>

#include "fork_join.h"
#include "timeline_text.h"
#include "work.h"

enum { PROGRAMS = 100, MAX = FORK_JOIN_EVENTS, NONE = MAX };

#define NO_TASK UINT64_MAX

static struct fork_join made; /* in the order in which the events came */

/* ---- the model; an event is its number, a segment or region the one that begins it ---- */

/* The spans about tasks that are open on the thread right before event `at`, innermost last: the events that have
 * opened them. Returns how many. */
static size_t spans_at(size_t at, uint32_t thread, size_t *spans)
{
	size_t len = 0;
	for (size_t i = 0; i < at; i++) {
		const struct fork_join_event *event = &made.events[i];
		if (event->thread != thread)
			continue;
		if (event->kind == STMLOG_EVENT_TASK_START || event->kind == STMLOG_EVENT_TASK_RESUME ||
			event->kind == STMLOG_EVENT_TOUCH_PAUSE)
			spans[len++] = i;
		bool is_touch = event->kind == STMLOG_EVENT_TOUCH_RESUME;
		if (!is_touch && event->kind != STMLOG_EVENT_TASK_SUSPEND && event->kind != STMLOG_EVENT_TASK_END)
			continue;
		size_t from = len;
		while ((made.events[spans[from - 1]].kind == STMLOG_EVENT_TOUCH_PAUSE) != is_touch)
			from--;
		for (; from < len; from++)
			spans[from - 1] = spans[from];
		len--;
	}
	return len;
}

/* The task that the thread works on right before event `at`, or has interrupted for a touch. */
static uint64_t worked_on(size_t at, uint32_t thread)
{
	size_t spans[MAX], len = spans_at(at, thread, spans);
	while (len > 0 && made.events[spans[len - 1]].kind == STMLOG_EVENT_TOUCH_PAUSE)
		len--;
	return len > 0 ? made.events[spans[len - 1]].argument : NO_TASK;
}

static bool is_touching(size_t at, uint32_t thread)
{
	size_t spans[MAX], len = spans_at(at, thread, spans);
	return len > 0 && made.events[spans[len - 1]].kind == STMLOG_EVENT_TOUCH_PAUSE;
}

static bool is_about_a_task(unsigned kind)
{
	return kind >= STMLOG_EVENT_TASK_START && kind <= STMLOG_EVENT_TOUCH_RESUME;
}

static uint64_t owner[MAX];    /* of each event: what its thread works on */
static size_t region_end[MAX]; /* made.len: open */

static uint64_t begun[MAX]; /* by each event: the task of the segment that it begins; NO_TASK: none */
static bool ends[MAX];      /* of each event: whether it ends a segment */

static uint64_t begun_by(size_t at)
{
	return begun[at];
}

static bool ends_segment(size_t at)
{
	return ends[at];
}

static size_t end_of(size_t segment)
{
	size_t at = segment + 1;
	while (at < made.len && !(made.events[at].thread == made.events[segment].thread && ends_segment(at)))
		at++;
	return at;
}

/* The segment in which the thread of the event is. */
static size_t segment_at(size_t at)
{
	uint32_t thread = made.events[at].thread;
	while (at-- > 0) {
		if (made.events[at].thread == thread && begun_by(at) != NO_TASK)
			return at;
		if (made.events[at].thread == thread && ends_segment(at))
			break;
	}
	return NONE;
}

static size_t creation_of(uint64_t task)
{
	for (size_t i = 0; i < made.len; i++)
		if (made.events[i].kind == STMLOG_EVENT_TASK_CREATE && made.events[i].argument == task)
			return i;
	return NONE;
}

/* The first segment of the task from event `at` on. */
static size_t next_of(uint64_t task, size_t at)
{
	while (at < made.len && begun_by(at) != task)
		at++;
	return at < made.len ? at : NONE;
}

static size_t last_of(uint64_t task, size_t before)
{
	while (before-- > 0)
		if (begun_by(before) == task)
			return before;
	return NONE;
}

/* These programs touch what they have created. */
static uint64_t toucher_of(size_t touch)
{
	return owner[creation_of(made.events[touch].argument)];
}

static bool edges[MAX][MAX];

static void add_edge(size_t from, size_t to)
{
	if (from != NONE && to != NONE)
		edges[from][to] = true;
}

/* Whether the task, between two of its segments, waits for one that it has created in the former. */
static bool is_bridged(size_t segment, size_t next)
{
	for (size_t i = end_of(segment); i <= next; i++)
		if (made.events[i].kind == STMLOG_EVENT_TOUCH_RESUME && toucher_of(i) == begun_by(segment) &&
			segment_at(creation_of(made.events[i].argument)) == segment)
			return true;
	return false;
}

static void find_edges(void)
{
	memset(edges, 0, sizeof edges);
	for (size_t i = 0; i < made.len; i++) {
		const struct fork_join_event *event = &made.events[i];
		size_t next = begun_by(i) != NO_TASK ? next_of(begun_by(i), i + 1) : NONE;
		if (next != NONE && !is_bridged(i, next))
			add_edge(i, next);
		if (event->kind == STMLOG_EVENT_TASK_CREATE)
			add_edge(segment_at(i), next_of(event->argument, 0));
		if (event->kind == STMLOG_EVENT_TOUCH_RESUME)
			add_edge(last_of(event->argument, i), next_of(toucher_of(i), i));
	}
}

static size_t find_region_end(size_t begin)
{
	size_t depth = 1, at = begin;
	while (depth > 0 && ++at < made.len) {
		if (made.events[at].thread != made.events[begin].thread)
			continue;
		depth += made.events[at].kind == STMLOG_EVENT_REGION_BEGIN;
		depth -= made.events[at].kind == STMLOG_EVENT_REGION_END;
	}
	return at;
}

/* The regions that the thread's worker is in right before event `at`, innermost first. Returns how many. */
static size_t regions_around(size_t at, uint32_t thread, size_t *around)
{
	uint64_t task = worked_on(at, thread);
	size_t len = 0;
	for (size_t i = at; i-- > 0;) {
		bool is_own = owner[i] == task && (task != NO_TASK || made.events[i].thread == thread);
		if (made.events[i].kind == STMLOG_EVENT_REGION_BEGIN && is_own && region_end[i] >= at)
			around[len++] = i;
	}
	size_t creation = task != NO_TASK ? creation_of(task) : NONE;
	if (creation != NONE)
		len += regions_around(creation, made.events[creation].thread, around + len);
	return len;
}

static uint64_t own_ns[MAX], time_ns[MAX], tag_ns[FORK_JOIN_TAGS + 1], tag_work[FORK_JOIN_TAGS + 1];

static void charge(const size_t *around, size_t len, uint64_t span_ns)
{
	bool has_tag[FORK_JOIN_TAGS + 1] = {false};
	if (len > 0)
		own_ns[around[0]] += span_ns;
	for (size_t i = 0; i < len; i++) {
		uint32_t tag = made.events[around[i]].tag;
		time_ns[around[i]] += span_ns;
		tag_ns[tag] += has_tag[tag] ? 0 : span_ns;
		has_tag[tag] = true;
	}
}

static uint64_t work_of(size_t region)
{
	size_t end = region_end[region];
	return made.events[region].argument + (end < made.len ? made.events[end].argument : 0);
}

static void find_times(void)
{
	size_t around[MAX];
	memset(own_ns, 0, sizeof own_ns);
	memset(time_ns, 0, sizeof time_ns);
	memset(tag_ns, 0, sizeof tag_ns);
	memset(tag_work, 0, sizeof tag_work);
	for (size_t i = 0; i < made.len; i++) {
		uint64_t span_ns = i > 0 ? made.events[i].time_ns - made.events[i - 1].time_ns : 0;
		for (uint32_t thread = 1; span_ns > 0 && thread <= FORK_JOIN_WORKERS; thread++)
			if (!is_touching(i, thread))
				charge(around, regions_around(i, thread, around), span_ns);
		if (made.events[i].kind != STMLOG_EVENT_REGION_BEGIN)
			continue;
		size_t len = regions_around(i, made.events[i].thread, around), same = 0;
		for (size_t k = 0; k < len; k++)
			same += made.events[around[k]].tag == made.events[i].tag;
		tag_work[made.events[i].tag] += same == 0 ? work_of(i) : 0;
	}
}

static void model(void)
{
	for (size_t i = 0; i < made.len; i++) {
		uint32_t thread = made.events[i].thread;
		bool is_change = is_about_a_task(made.events[i].kind);
		owner[i] = worked_on(i, thread);
		ends[i] = is_change && owner[i] != NO_TASK && !is_touching(i, thread);
		begun[i] = is_change && !is_touching(i + 1, thread) ? worked_on(i + 1, thread) : NO_TASK;
		region_end[i] = made.events[i].kind == STMLOG_EVENT_REGION_BEGIN ? find_region_end(i) : NONE;
	}
	find_edges();
	find_times();
}

/* ---- the two side by side ---- */

static struct fork_join told; /* the same events as a file has them */
static struct recording recording;
static struct work work;

static void load(void)
{
	static const char *const tags[] = {"", "c", "a", "b"};
	struct writer writer;
	timeline_text(&writer, 0, "");
	for (uint32_t i = 1; i <= FORK_JOIN_TAGS; i++)
		writer_event_place(&writer, &(struct stmlog_place_record){.word = writer_string(&writer, tags[i])});
	for (size_t i = 0; i < told.len; i++) {
		const struct fork_join_event *event = &told.events[i];
		writer_event(&writer, &(struct stmlog_event_record){.time_ns = event->time_ns,
					      .argument = event->argument,
					      .thread = event->thread,
					      .place = event->tag,
					      .kind = event->kind});
	}
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	if (!work_build(&work, &recording))
		fail_msg("%s", work_fault(&work, &recording).text);
}

static size_t number_of(size_t index)
{
	return index != WORK_NONE ? told.events[index].number : made.len;
}

/* Returns how many edges there are. */
static size_t compare_graphs(void)
{
	size_t segments = 0, expected = 0, found = 0;
	for (size_t i = 0; i < made.len; i++)
		for (size_t k = 0; k < made.len; k++)
			expected += edges[i][k];
	for (size_t i = 0; i < made.len; i++)
		segments += begun_by(i) != NO_TASK;
	assert_int_equal(work.segment_count, segments);
	for (size_t i = 0; i < work.segment_count; i++) {
		const struct segment *segment = &work.segments[i];
		assert_int_equal(begun_by(number_of(segment->begin)), work.tasks[segment->task].number);
		assert_int_equal(number_of(segment->end), end_of(number_of(segment->begin)));
		found += segment->child_count;
		for (size_t k = 0; k < segment->child_count; k++)
			assert_true(
				edges[number_of(segment->begin)][number_of(work.segments[segment->children[k]].begin)]);
	}
	assert_int_equal(found, expected);
	return found;
}

static void compare_trees(void)
{
	for (size_t i = 0; i < work.task_count; i++) {
		const struct task *task = &work.tasks[i];
		size_t creation = creation_of(task->number);
		assert_int_equal(number_of(task->created_by), creation);
		assert_int_equal(
			task->parent != WORK_NONE ? work.tasks[task->parent].number : NO_TASK, owner[creation]);
	}
}

static void compare_regions(void)
{
	for (size_t i = 0; i < work.region_count; i++) {
		const struct region *region = &work.regions[i];
		size_t begin = number_of(region->begin), around[MAX];
		size_t len = regions_around(begin, region->thread, around);
		assert_int_equal(number_of(region->end), region_end[begin]);
		assert_int_equal(region->own_ns, own_ns[begin]);
		assert_int_equal(region->time_ns, time_ns[begin]);
		assert_int_equal(region->work, work_of(begin));
		assert_int_equal(region->parent != WORK_NONE ? number_of(work.regions[region->parent].begin) : NONE,
			len > 0 ? around[0] : NONE);
	}
}

static void compare_tags(void)
{
	for (size_t i = 0; i < work.tag_count; i++) {
		const struct region_tag *tag = &work.tags[i];
		uint32_t number = tag->tag[0] == 'c' ? 1 : tag->tag[0] == 'a' ? 2 : 3;
		assert_int_equal(tag->inclusive_ns, tag_ns[number]);
		assert_int_equal(tag->work, tag_work[number]);
	}
}

/* Returns how many edges the program's graph has. */
static size_t compare(void)
{
	load();
	size_t found = compare_graphs();
	compare_trees();
	compare_regions();
	compare_tags();
	assert_true(work_longest_ns(&work) <= work_time_ns(&work));
	work_fini(&work);
	recording_fini(&recording);
	return found;
}

TEST(any_program_is_what_the_model_says)
{
	struct random random = {20};
	size_t found = 0;
	for (size_t i = 0; i < PROGRAMS; i++) {
		fork_join_make(&made, &random, true);
		model();
		told = made;
		found += compare();
	}
	assert_true(found > 10 * PROGRAMS);
}

TEST(the_order_within_one_time_changes_nothing)
{
	struct random random = {21};
	size_t reordered = 0;
	for (size_t i = 0; i < PROGRAMS; i++) {
		fork_join_make(&made, &random, false);
		model();
		told = made;
		fork_join_shuffle(&told, &random);
		for (size_t k = 0; k < told.len; k++)
			reordered += told.events[k].number != k;
		compare();
	}
	assert_true(reordered > 10 * PROGRAMS);
}
