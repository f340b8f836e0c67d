/* SPDX-License-Identifier: MIT
 * Finds the regions of a timeline, and adds their times and work up. A worker is a task, or a thread that works on no
 * task. The time of a worker belongs to the innermost region that it is in. A task begins in the region that its
 * creator was in, and never leaves that region. */
#include "regions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <stmlog/timeline.h>

#include "bisect.h"
#include "check.h"
#include "event.h"
#include "memory.h"
#include "ranks.h"
#include "task_steps.h"

/* ---- sums: regions are a forest; times are added up from the leaves ---- */

/* Does not overflow: a file may claim any amounts of work. */
static inline uint64_t region_sum(uint64_t a, uint64_t b)
{
	return a <= UINT64_MAX - b ? a + b : UINT64_MAX;
}

static double speed_of(uint64_t work, uint64_t time_ns)
{
	if (work == 0)
		return 0;
	return time_ns != 0 ? (double)work / ((double)time_ns / 1e9) : INFINITY;
}

static void add_up(struct regions *regions, const size_t *begun)
{
	for (size_t i = regions->len; i-- > 0;) {
		struct region *region = &regions->regions[begun[i]];
		region->time_ns = region_sum(region->time_ns, region->own_ns);
		region->speed = speed_of(region->work, region->time_ns);
		if (region->parent != TASKS_NONE) {
			struct region *parent = &regions->regions[region->parent];
			parent->time_ns = region_sum(parent->time_ns, region->time_ns);
		}
	}
}

/* ---- tags: in the sums of a tag, a region counts only if no region above it has the same tag ---- */

struct named {
	const char *tag;
	size_t region;
};

/* Equal names are mostly the same string, so that strcmp() is rarely needed. */
static int compare_names(const void *a, const void *b)
{
	const struct named *left = a, *right = b;
	int names = left->tag != right->tag ? strcmp(left->tag, right->tag) : 0;
	if (names != 0)
		return names;
	return left->region < right->region ? -1 : left->region > right->region;
}

static bool is_last_tag(const struct regions *regions, const char *name)
{
	if (regions->tag_count == 0)
		return false;
	const char *last = regions->tags[regions->tag_count - 1].tag;
	return last == name || strcmp(last, name) == 0;
}

static struct region_tag *add_tag(struct regions *regions, const char *name)
{
	if (!is_last_tag(regions, name))
		regions->tags[regions->tag_count++] = (struct region_tag){.tag = name};
	return &regions->tags[regions->tag_count - 1];
}

/* Returns the tag of each region. */
static size_t *group_by_tag(struct regions *regions)
{
	struct named *named = memory_zeroed(regions->len, sizeof *named);
	size_t *tag_of = memory_zeroed(regions->len, sizeof *tag_of);
	regions->tags = memory_zeroed(regions->len, sizeof *regions->tags);
	for (size_t i = 0; i < regions->len; i++)
		named[i] = (struct named){regions->regions[i].tag, i};
	qsort(named, regions->len, sizeof *named, compare_names);
	for (size_t i = 0; i < regions->len; i++) {
		struct region_tag *tag = add_tag(regions, named[i].tag);
		tag->count++;
		tag->exclusive_ns = region_sum(tag->exclusive_ns, regions->regions[named[i].region].own_ns);
		tag_of[named[i].region] = (size_t)(tag - regions->tags);
	}
	free(named);
	return tag_of;
}

/* ---- the forest, walked from its roots ---- */

struct forest {
	struct regions *regions;
	const size_t *tag_of;
	size_t *first, *next; /* child, sibling */
	size_t *within;       /* by tag: how many of its regions the walk is in */
};

static void enter(struct forest *forest, size_t at)
{
	const struct region *region = &forest->regions->regions[at];
	struct region_tag *tag = &forest->regions->tags[forest->tag_of[at]];
	if (forest->within[forest->tag_of[at]]++ > 0)
		return;
	tag->outermost++;
	tag->work = region_sum(tag->work, region->work);
	tag->inclusive_ns = region_sum(tag->inclusive_ns, region->time_ns);
}

/* Leaves regions up to one that has a sibling. Returns the sibling; TASKS_NONE at the end. */
static size_t leave(struct forest *forest, size_t at)
{
	while (at != TASKS_NONE) {
		forest->within[forest->tag_of[at]]--;
		if (forest->next[at] != TASKS_NONE)
			return forest->next[at];
		at = forest->regions->regions[at].parent;
	}
	return TASKS_NONE;
}

static void walk(struct forest *forest, size_t root)
{
	size_t at = root;
	while (at != TASKS_NONE) {
		enter(forest, at);
		at = forest->first[at] != TASKS_NONE ? forest->first[at] : leave(forest, at);
	}
}

static void sum_tags(struct regions *regions, const size_t *tag_of)
{
	size_t len = regions->len;
	struct forest forest = {regions, tag_of, memory_zeroed(len, sizeof(size_t)), memory_zeroed(len, sizeof(size_t)),
		memory_zeroed(len, sizeof(size_t))};
	for (size_t i = 0; i < len; i++)
		forest.first[i] = forest.next[i] = TASKS_NONE;
	for (size_t i = 0; i < len; i++) {
		size_t parent = regions->regions[i].parent;
		if (parent == TASKS_NONE)
			continue;
		forest.next[i] = forest.first[parent];
		forest.first[parent] = i;
	}
	for (size_t i = 0; i < len; i++)
		if (regions->regions[i].parent == TASKS_NONE)
			walk(&forest, i);
	free(forest.first);
	free(forest.next);
	free(forest.within);
}

/* ---- speeds ---- */

static double relative_to(double speed, double fastest)
{
	if (isinf(speed))
		return 1;
	return fastest > 0 ? speed / fastest : 0;
}

static void compare_speeds(struct regions *regions, const size_t *tag_of)
{
	double *fastest = memory_zeroed(regions->tag_count, sizeof *fastest);
	for (size_t i = 0; i < regions->len; i++) {
		double speed = regions->regions[i].speed;
		if (!isinf(speed) && speed > fastest[tag_of[i]])
			fastest[tag_of[i]] = speed;
	}
	for (size_t i = 0; i < regions->len; i++)
		regions->regions[i].relative = relative_to(regions->regions[i].speed, fastest[tag_of[i]]);
	for (size_t i = 0; i < regions->tag_count; i++)
		regions->tags[i].speed = speed_of(regions->tags[i].work, regions->tags[i].inclusive_ns);
	free(fastest);
}

static int longest_first(const void *a, const void *b)
{
	const struct region_tag *left = a, *right = b;
	if (left->inclusive_ns != right->inclusive_ns)
		return left->inclusive_ns > right->inclusive_ns ? -1 : 1;
	return strcmp(left->tag, right->tag);
}

/* Fills in all sums, and makes the tags. `begun` has the ordinals of all regions, each behind its parent. */
static void fill_sums(struct regions *regions, const size_t *begun)
{
	add_up(regions, begun);
	size_t *tag_of = group_by_tag(regions);
	sum_tags(regions, tag_of);
	compare_speeds(regions, tag_of);
	free(tag_of);
	qsort(regions->tags, regions->tag_count, sizeof *regions->tags, longest_first);
}

/* ---- the builder ---- */

struct worker {
	size_t inner; /* TASKS_NONE: no region */
	bool is_at_work;
	uint64_t since_ns;   /* its time up to here is counted */
	size_t segment;      /* that it is in, or was in last; TASKS_NONE */
	uint64_t stretch_ns; /* the longest time in one region, without a break, of this segment */
};

struct thread {
	struct worker own; /* while it works on no task */
	struct task_spans spans;
	size_t last; /* the innermost region that is open on the thread; TASKS_NONE */
};

/* Where a region lies. */
struct position {
	size_t task;  /* that it was begun in; TASKS_NONE: in no task */
	size_t below; /* the region that was begun on its thread before */
	bool has_ended;
};

/* Invariant: positions and regions by ordinal; begun: the ordinals in the order of their beginnings. */
struct builder {
	struct regions *regions;
	const struct recording *recording;
	const struct tasks *tasks;
	struct ranks thread_ids, numbers;
	size_t *task_ordinals; /* by the rank of the task's number */
	struct thread *threads;
	struct worker *workers; /* of tasks */
	struct position *positions;
	size_t *begun;
	size_t begun_count;
	uint64_t now_ns;
};

/* ---- workers ---- */

static void charge(struct builder *builder, struct worker *worker)
{
	uint64_t time_ns = builder->now_ns - worker->since_ns;
	if (worker->is_at_work && worker->inner != TASKS_NONE)
		builder->regions->regions[worker->inner].own_ns += time_ns;
	if (worker->is_at_work && worker->segment != TASKS_NONE && time_ns > worker->stretch_ns) {
		worker->stretch_ns = time_ns;
		builder->regions->of_segments[worker->segment] = worker->inner;
	}
	worker->since_ns = builder->now_ns;
}

/* Begins the segment that begins with this event, if there is one. */
static void begin_segment(struct builder *builder, const struct thread *thread, size_t index)
{
	size_t number = task_spans_task(&thread->spans);
	if (number == TASKS_NONE)
		return;
	const struct task *task = &builder->tasks->tasks[number];
	struct worker *worker = &builder->workers[number];
	size_t next = worker->segment == TASKS_NONE ? task->first_segment : worker->segment + 1;
	if (next == task->first_segment + task->segment_count || builder->tasks->segments[next].begin != index)
		return;
	worker->segment = next;
	worker->stretch_ns = 0;
	builder->regions->of_segments[next] = worker->inner;
}

static void set_at_work(struct builder *builder, struct worker *worker, bool is_at_work)
{
	charge(builder, worker);
	worker->is_at_work = is_at_work;
}

/* The task that the thread works on, or has interrupted for a wait; TASKS_NONE. */
static size_t task_on(const struct thread *thread)
{
	const struct task_span *innermost = task_spans_innermost(&thread->spans, STMLOG_ROW_TASKS);
	return innermost != NULL ? innermost->task : TASKS_NONE;
}

static struct worker *worker_on(struct builder *builder, struct thread *thread)
{
	size_t task = task_on(thread);
	return task != TASKS_NONE ? &builder->workers[task] : &thread->own;
}

static size_t task_of(const struct builder *builder, const struct stmlog_event_record *event)
{
	return builder->task_ordinals[ranks_find(&builder->numbers, event->argument)];
}

static struct thread *thread_of(const struct builder *builder, uint32_t id)
{
	return &builder->threads[ranks_find(&builder->thread_ids, id)];
}

/* ---- regions ---- */

static uint64_t begin_at(const void *regions, size_t index)
{
	return ((const struct region *)regions)[index].begin;
}

/* Requires that a region begins at the event. */
static struct region *begun_at(const struct regions *regions, size_t begin)
{
	size_t up_to = bisect(regions->regions, regions->len, begin, begin_at);
	REQUIRES(up_to > 0 && regions->regions[up_to - 1].begin == begin);
	return &regions->regions[up_to - 1];
}

static const char *begin_region(struct builder *builder, struct thread *thread, size_t index)
{
	const struct stmlog_event_record *event = &builder->recording->events[index];
	struct worker *worker = worker_on(builder, thread);
	struct region *region = begun_at(builder->regions, index);
	size_t ordinal = (size_t)(region - builder->regions->regions);
	charge(builder, worker);
	region->parent = worker->inner;
	region->work = event->argument;
	builder->positions[ordinal] = (struct position){.task = task_on(thread), .below = thread->last};
	builder->begun[builder->begun_count++] = ordinal;
	worker->inner = thread->last = ordinal;
	return NULL;
}

/* Ends the innermost region of the thread. Its worker leaves it, and the regions around it that have ended meanwhile.
 */
static void end_last(struct builder *builder, struct thread *thread, size_t end)
{
	struct region *region = &builder->regions->regions[thread->last];
	struct position *position = &builder->positions[thread->last];
	struct worker *worker = position->task != TASKS_NONE ? &builder->workers[position->task] : &thread->own;
	charge(builder, worker);
	region->end = end;
	position->has_ended = true;
	thread->last = position->below;
	while (worker->inner != TASKS_NONE && builder->positions[worker->inner].task == position->task &&
		builder->positions[worker->inner].has_ended)
		worker->inner = builder->regions->regions[worker->inner].parent;
}

static const char *end_region(struct builder *builder, struct thread *thread, size_t index)
{
	if (thread->last == TASKS_NONE) /* its beginning is missing */
		return NULL;
	struct region *region = &builder->regions->regions[thread->last];
	size_t task = builder->positions[thread->last].task, own = task_on(thread);
	if (task != TASKS_NONE && own != TASKS_NONE && task != own)
		return "another task has begun the region";
	region->work = region_sum(region->work, builder->recording->events[index].argument);
	end_last(builder, thread, index);
	return NULL;
}

/* ---- what the threads work on ---- */

static void go_on(struct builder *builder, struct thread *thread)
{
	bool is_at_work = thread->spans.len == 0 || task_spans_task(&thread->spans) != TASKS_NONE;
	set_at_work(builder, worker_on(builder, thread), is_at_work);
}

/* The event opens or closes a span about a task. */
static void change_work(struct builder *builder, struct thread *thread, const struct stmlog_event_record *event)
{
	const struct stmlog_event_rule *rule = stmlog_event_rule_of(event->kind);
	set_at_work(builder, worker_on(builder, thread), false);
	if (rule->role == STMLOG_ROLE_OPENS)
		task_spans_open(&thread->spans, rule, task_of(builder, event), TASKS_NONE);
	else
		task_spans_close(&thread->spans, rule->row);
	go_on(builder, thread);
}

/* Ends all regions of the thread with event `end`. */
static void leave_all(struct builder *builder, struct thread *thread, size_t end)
{
	while (thread->last != TASKS_NONE)
		end_last(builder, thread, end);
	set_at_work(builder, worker_on(builder, thread), false);
	thread->spans.len = 0;
	go_on(builder, thread);
}

static void create(struct builder *builder, struct thread *thread, const struct stmlog_event_record *event)
{
	builder->workers[task_of(builder, event)].inner = worker_on(builder, thread)->inner;
}

/* Returns what is wrong with the event, or NULL. */
static const char *add_event(struct builder *builder, size_t index)
{
	const struct stmlog_event_record *event = &builder->recording->events[index];
	struct thread *thread = thread_of(builder, event->thread);
	builder->now_ns = event->time_ns;
	const struct stmlog_event_rule *rule = stmlog_event_rule_of(event->kind);
	bool is_opening = rule->role == STMLOG_ROLE_OPENS;
	if (task_spans_has(rule)) {
		change_work(builder, thread, event);
		return NULL;
	}
	switch (rule->span) {
	case STMLOG_SPAN_REGION:
		return is_opening ? begin_region(builder, thread, index) : end_region(builder, thread, index);
	case STMLOG_SPAN_THREAD:
		leave_all(builder, thread, index);
		return NULL;
	case STMLOG_SPAN_GAP:
		leave_all(builder, thread, TASKS_NONE);
		return NULL;
	default:
		if (event->kind == STMLOG_EVENT_TASK_CREATE)
			create(builder, thread, event);
		return NULL;
	}
}

static bool add_events(struct builder *builder)
{
	struct regions *regions = builder->regions;
	for (size_t i = 0; i < builder->recording->event_count && regions->fault == NULL; i++) {
		size_t index = tasks_event(builder->tasks, i);
		regions->fault_at = index;
		regions->fault = add_event(builder, index);
		begin_segment(builder, thread_of(builder, builder->recording->events[index].thread), index);
	}
	for (size_t i = 0; i < builder->thread_ids.len; i++)
		charge(builder, worker_on(builder, &builder->threads[i]));
	return regions->fault == NULL;
}

/* ---- the whole ---- */

static const struct worker nowhere = {.inner = TASKS_NONE, .segment = TASKS_NONE};

static void list_regions(struct builder *builder)
{
	const struct recording *recording = builder->recording;
	struct regions *regions = builder->regions;
	size_t count = 0;
	for (size_t i = 0; i < recording->event_count; i++)
		count += recording->events[i].kind == STMLOG_EVENT_REGION_BEGIN;
	regions->regions = memory_zeroed(count, sizeof *regions->regions);
	builder->positions = memory_zeroed(count, sizeof *builder->positions);
	builder->begun = memory_zeroed(count, sizeof *builder->begun);
	for (size_t i = 0; i < recording->event_count; i++)
		if (recording->events[i].kind == STMLOG_EVENT_REGION_BEGIN)
			regions->regions[regions->len++] = (struct region){
				.tag = recording_string(recording, event_place(recording, &recording->events[i]).word),
				.thread = recording->events[i].thread,
				.begin = i,
				.end = TASKS_NONE,
				.parent = TASKS_NONE,
			};
}

static void list_tasks(struct builder *builder)
{
	const struct tasks *tasks = builder->tasks;
	for (size_t i = 0; i < tasks->len; i++)
		ranks_add(&builder->numbers, tasks->tasks[i].number);
	ranks_sort(&builder->numbers);
	builder->task_ordinals = memory_zeroed(tasks->len, sizeof *builder->task_ordinals);
	builder->workers = memory_zeroed(tasks->len, sizeof *builder->workers);
	for (size_t i = 0; i < tasks->len; i++) {
		builder->task_ordinals[ranks_find(&builder->numbers, tasks->tasks[i].number)] = i;
		builder->workers[i] = nowhere;
	}
}

static void list_threads(struct builder *builder)
{
	const struct recording *recording = builder->recording;
	for (size_t i = 0; i < recording->event_count; i++)
		ranks_add(&builder->thread_ids, recording->events[i].thread);
	ranks_sort(&builder->thread_ids);
	builder->threads = memory_zeroed(builder->thread_ids.len, sizeof *builder->threads);
	for (size_t i = 0; i < builder->thread_ids.len; i++)
		builder->threads[i] = (struct thread){
			.own = {.inner = TASKS_NONE, .is_at_work = true, .segment = TASKS_NONE}, .last = TASKS_NONE};
}

static void builder_fini(struct builder *builder)
{
	for (size_t i = 0; builder->threads != NULL && i < builder->thread_ids.len; i++)
		task_spans_fini(&builder->threads[i].spans);
	ranks_fini(&builder->thread_ids);
	ranks_fini(&builder->numbers);
	free(builder->task_ordinals);
	free(builder->threads);
	free(builder->workers);
	free(builder->positions);
	free(builder->begun);
}

static void build(struct builder *builder)
{
	struct regions *regions = builder->regions;
	list_tasks(builder);
	list_threads(builder);
	regions->of_segments = memory_zeroed(builder->tasks->segment_count, sizeof *regions->of_segments);
	if (add_events(builder)) {
		fill_sums(regions, builder->begun);
		return;
	}
	size_t fault_at = regions->fault_at;
	const char *fault = regions->fault;
	regions_fini(regions);
	regions->fault_at = fault_at;
	regions->fault = fault;
}

bool regions_build(struct regions *regions, const struct recording *recording, const struct tasks *tasks)
{
	struct builder builder = {.regions = regions, .recording = recording, .tasks = tasks};
	REQUIRES(tasks->fault == NULL);
	*regions = (struct regions){.len = 0};
	list_regions(&builder);
	if (regions->len > 0)
		build(&builder);
	builder_fini(&builder);
	return regions->fault == NULL;
}

void regions_fini(struct regions *regions)
{
	free(regions->regions);
	free(regions->tags);
	free(regions->of_segments);
	*regions = (struct regions){.len = 0};
}

size_t regions_of_segment(const struct regions *regions, size_t segment)
{
	return regions->of_segments != NULL ? regions->of_segments[segment] : TASKS_NONE;
}
