/* SPDX-License-Identifier: MIT
 * Regions and waits: how long each took, and sums of them. The events of regions come one by one, and the time
 * of each worker belongs to the innermost region that it is in. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "event.h"
#include "memory.h"
#include "saturate.h"
#include "work_steps.h"

/* ---- the time of workers ---- */

/* The task that the thread works on, or has interrupted for a wait; WORK_NONE. */
static size_t steps_task_on(const struct steps_thread *thread)
{
	const struct steps_span *innermost = steps_innermost(thread, STMLOG_ROW_TASKS);
	return innermost != NULL ? innermost->task : WORK_NONE;
}

static struct steps_worker *steps_worker(struct steps *steps, struct steps_thread *thread, size_t task)
{
	return task != WORK_NONE ? &steps->tasks[task].worker : &thread->own;
}

static struct steps_worker *steps_worker_on(struct steps *steps, struct steps_thread *thread)
{
	return steps_worker(steps, thread, steps_task_on(thread));
}

/* Counts the time of the worker up to now. */
static void steps_charge(struct steps *steps, struct steps_worker *worker)
{
	uint64_t time_ns = worker->is_at_work ? steps->now_ns - worker->since_ns : 0;
	if (worker->region != WORK_NONE)
		steps->work->regions[worker->region].own_ns += time_ns;
	if (worker->segment != WORK_NONE && time_ns > worker->stretch_ns) {
		worker->stretch_ns = time_ns;
		steps->segments[worker->segment].segment.region = worker->region;
	}
	worker->since_ns = steps->now_ns;
}

void steps_stop_worker(struct steps *steps, struct steps_thread *thread)
{
	struct steps_worker *worker = steps_worker_on(steps, thread);
	steps_charge(steps, worker);
	worker->is_at_work = false;
}

void steps_start_worker(struct steps *steps, struct steps_thread *thread)
{
	struct steps_worker *worker = steps_worker_on(steps, thread);
	steps_charge(steps, worker);
	worker->is_at_work = thread->span_count == 0 || steps_task_at_work(thread) != WORK_NONE;
}

void steps_place_segment(struct steps *steps, struct steps_worker *worker, size_t segment)
{
	worker->segment = segment;
	worker->stretch_ns = 0;
	steps->segments[segment].segment.region = worker->region;
}

void steps_inherit_region(struct steps *steps, struct steps_thread *thread, struct steps_task *created)
{
	created->worker.region = steps_worker_on(steps, thread)->region;
}

/* ---- events: each returns a fault, or NULL ---- */

const char *steps_begin_region(struct steps *steps, struct steps_thread *thread, size_t index)
{
	const struct stmlog_event_record *event = &steps->recording->events[index];
	struct steps_worker *worker = steps_worker_on(steps, thread);
	struct work *work = steps->work;
	size_t number = work->region_count++;
	steps_charge(steps, worker);
	work->regions = memory_grown(work->regions, number, &steps->region_cap, sizeof *work->regions);
	steps->regions = memory_grown(steps->regions, number, &steps->begun_cap, sizeof *steps->regions);
	work->regions[number] = (struct region){
		.tag = event_word(steps->recording, event),
		.thread = event->thread,
		.begin = index,
		.end = WORK_NONE,
		.parent = worker->region,
		.work = event->argument,
	};
	steps->regions[number] = (struct steps_region){.task = steps_task_on(thread), .below = thread->region};
	worker->region = thread->region = number;
	return NULL;
}

/* Ends the innermost region of the thread. Its worker leaves it, and the regions around it that have ended meanwhile.
 */
static void steps_end_innermost(struct steps *steps, struct steps_thread *thread, size_t end)
{
	struct steps_region *begun = &steps->regions[thread->region];
	struct steps_worker *worker = steps_worker(steps, thread, begun->task);
	steps_charge(steps, worker);
	steps->work->regions[thread->region].end = end;
	begun->has_ended = true;
	thread->region = begun->below;
	while (worker->region != WORK_NONE && steps->regions[worker->region].task == begun->task &&
		steps->regions[worker->region].has_ended)
		worker->region = steps->work->regions[worker->region].parent;
}

const char *steps_end_region(struct steps *steps, struct steps_thread *thread, size_t index)
{
	if (thread->region == WORK_NONE) /* its beginning is missing */
		return NULL;
	struct region *region = &steps->work->regions[thread->region];
	size_t task = steps->regions[thread->region].task, own = steps_task_on(thread);
	if (task != WORK_NONE && own != WORK_NONE && task != own)
		return "another task has begun the region";
	/* A file may claim any amounts of work. */
	region->work = saturated_sum(region->work, steps->recording->events[index].argument);
	steps_end_innermost(steps, thread, index);
	return NULL;
}

void steps_end_regions(struct steps *steps, struct steps_thread *thread, size_t end)
{
	while (thread->region != WORK_NONE)
		steps_end_innermost(steps, thread, end);
}

/* ---- sums of regions: a forest, in which each comes after its parent; a file may claim any amounts of work ---- */

static double speed_of(uint64_t work, uint64_t time_ns)
{
	if (work == 0)
		return 0;
	return time_ns != 0 ? (double)work / ((double)time_ns / 1e9) : INFINITY;
}

static void regions_add_up(struct work *work)
{
	for (size_t i = work->region_count; i-- > 0;) {
		struct region *region = &work->regions[i];
		region->time_ns = saturated_sum(region->time_ns, region->own_ns);
		region->speed = speed_of(region->work, region->time_ns);
		if (region->parent != WORK_NONE) {
			struct region *parent = &work->regions[region->parent];
			parent->time_ns = saturated_sum(parent->time_ns, region->time_ns);
		}
	}
}

/* ---- tags ---- */

/* Equal names are mostly the same string, so that strcmp() is rarely needed. */
static int compare_tags(const char *left, const char *right)
{
	return left != right ? strcmp(left, right) : 0;
}

static int regions_by_tag(const void *a, const void *b)
{
	const struct region *left = *(struct region *const *)a, *right = *(struct region *const *)b;
	int names = compare_tags(left->tag, right->tag);
	return names != 0 ? names : (left > right) - (left < right);
}

/* Of regions of one tag. `values` has room for all of them. */
static void tag_set_spread(struct region_tag *tag, struct region *const *regions, double *values)
{
	for (size_t i = 0; i < tag->count; i++)
		if (regions[i]->end != WORK_NONE)
			values[tag->ended++] = (double)regions[i]->time_ns;
	if (tag->ended > 0)
		tag->each_ns = statistics_spread(values, tag->ended);
	for (size_t i = 0; i < tag->count; i++)
		if (regions[i]->end != WORK_NONE && regions[i]->work > 0)
			values[tag->worked++] = regions[i]->speed;
	if (tag->worked > 0)
		tag->each_speed = statistics_spread(values, tag->worked);
}

static double relative_to(double speed, double fastest)
{
	if (isinf(speed))
		return 1;
	return fastest > 0 ? speed / fastest : 0;
}

static void tag_compare_speeds(const struct region_tag *tag, struct region *const *regions)
{
	double fastest = 0;
	for (size_t i = 0; i < tag->count; i++)
		if (!isinf(regions[i]->speed) && regions[i]->speed > fastest)
			fastest = regions[i]->speed;
	for (size_t i = 0; i < tag->count; i++)
		regions[i]->relative = relative_to(regions[i]->speed, fastest);
}

/* Makes the tag of the first of these regions, which are sorted by tag. */
static void tags_add(struct work *work, struct region **regions, size_t len, double *values)
{
	struct region_tag *tag = &work->tags[work->tag_count];
	*tag = (struct region_tag){.tag = regions[0]->tag, .first = (size_t)(regions[0] - work->regions)};
	for (; tag->count < len && compare_tags(regions[tag->count]->tag, tag->tag) == 0; tag->count++) {
		regions[tag->count]->tag_number = work->tag_count;
		tag->exclusive_ns = saturated_sum(tag->exclusive_ns, regions[tag->count]->own_ns);
	}
	work->tag_count++;
	tag_set_spread(tag, regions, values);
	tag_compare_speeds(tag, regions);
}

static void tags_make(struct work *work)
{
	struct region **sorted = memory_zeroed(work->region_count, sizeof(struct region *));
	double *values = memory_zeroed(work->region_count, sizeof *values);
	work->tags = memory_zeroed(work->region_count, sizeof *work->tags);
	for (size_t i = 0; i < work->region_count; i++)
		sorted[i] = &work->regions[i];
	qsort(sorted, work->region_count, sizeof(struct region *), regions_by_tag);
	for (size_t i = 0; i < work->region_count; i += work->tags[work->tag_count - 1].count)
		tags_add(work, sorted + i, work->region_count - i, values);
	free(values);
	free(sorted);
}

/* ---- the sums of a tag without regions that lie in another one of the tag: a walk through the forest ---- */

struct forest {
	struct work *work;
	size_t *first, *next; /* child, sibling */
	size_t *within;       /* by tag: how many of its regions the walk is in */
};

static void forest_enter(struct forest *forest, const struct region *region)
{
	struct region_tag *tag = &forest->work->tags[region->tag_number];
	if (forest->within[region->tag_number]++ > 0)
		return;
	tag->outermost++;
	tag->work = saturated_sum(tag->work, region->work);
	tag->inclusive_ns = saturated_sum(tag->inclusive_ns, region->time_ns);
}

/* Leaves regions up to one that has a sibling. Returns the sibling; WORK_NONE at the end. */
static size_t forest_leave(struct forest *forest, size_t at)
{
	while (at != WORK_NONE) {
		forest->within[forest->work->regions[at].tag_number]--;
		if (forest->next[at] != WORK_NONE)
			return forest->next[at];
		at = forest->work->regions[at].parent;
	}
	return WORK_NONE;
}

/* Roots are siblings of each other. */
static void tags_add_up(struct work *work)
{
	size_t len = work->region_count, root = WORK_NONE;
	struct forest forest = {work, memory_zeroed(len, sizeof(size_t)), memory_zeroed(len, sizeof(size_t)),
		memory_zeroed(work->tag_count, sizeof(size_t))};
	for (size_t i = 0; i < len; i++) {
		size_t parent = work->regions[i].parent;
		size_t *above = parent != WORK_NONE ? &forest.first[parent] : &root;
		forest.first[i] = WORK_NONE;
		forest.next[i] = *above;
		*above = i;
	}
	for (size_t at = root; at != WORK_NONE;) {
		forest_enter(&forest, &work->regions[at]);
		at = forest.first[at] != WORK_NONE ? forest.first[at] : forest_leave(&forest, at);
	}
	for (size_t i = 0; i < work->tag_count; i++)
		work->tags[i].speed = speed_of(work->tags[i].work, work->tags[i].inclusive_ns);
	free(forest.first);
	free(forest.next);
	free(forest.within);
}

/* ---- the order of tags ---- */

static int tags_longest_first(const void *a, const void *b)
{
	const struct region_tag *left = a, *right = b;
	if (left->inclusive_ns != right->inclusive_ns)
		return left->inclusive_ns > right->inclusive_ns ? -1 : 1;
	return strcmp(left->tag, right->tag);
}

/* Until here the number of a tag is its rank by name. */
static void tags_sort(struct work *work)
{
	size_t *numbers = memory_zeroed(work->tag_count, sizeof *numbers);
	qsort(work->tags, work->tag_count, sizeof *work->tags, tags_longest_first);
	for (size_t i = 0; i < work->tag_count; i++)
		numbers[work->regions[work->tags[i].first].tag_number] = i;
	for (size_t i = 0; i < work->region_count; i++)
		work->regions[i].tag_number = numbers[work->regions[i].tag_number];
	free(numbers);
}

void work_sum_regions(struct work *work)
{
	if (work->region_count == 0)
		return;
	regions_add_up(work);
	tags_make(work);
	tags_add_up(work);
	tags_sort(work);
}

/* ---- waits ---- */

const char *const task_wait_names[TASK_WAITS] = {
	[TASK_BLOCKED] = "blocked",
	[TASK_TOUCHED] = "touch",
	[TASK_SUSPENDED] = "suspended",
};

static uint64_t wait_ns(const struct recording *recording, size_t from, size_t until)
{
	bool is_known = from != WORK_NONE && until != WORK_NONE;
	return is_known ? recording->events[until].time_ns - recording->events[from].time_ns : 0;
}

/* A touch that a gap or the detach of its thread ends is not abandoned. */
static bool wait_is_abandoned(const struct recording *recording, const struct task_wait *wait)
{
	const struct stmlog_event_record *end = wait->end != WORK_NONE ? &recording->events[wait->end] : NULL;
	bool is_own = end != NULL && (end->kind == STMLOG_EVENT_TOUCH_RESUME || end->kind == STMLOG_EVENT_BLOCK_END);
	return is_own && end->detail == STMLOG_OUTCOME_ABANDONED;
}

static int wait_sums_by_word(const void *a, const void *b)
{
	const struct task_wait_sum *left = a, *right = b;
	return left->kind != right->kind ? (int)left->kind - (int)right->kind : strcmp(left->word, right->word);
}

static int wait_sums_longest_first(const void *a, const void *b)
{
	const struct task_wait_sum *left = a, *right = b;
	if (left->time_ns != right->time_ns)
		return left->time_ns > right->time_ns ? -1 : 1;
	return wait_sums_by_word(a, b);
}

/* Makes one sum of neighbours of one kind and word. Returns how many there are. */
static size_t wait_sums_join(struct task_wait_sum *sums, size_t len)
{
	size_t joined = 0;
	for (size_t i = 0; i < len; i++) {
		if (joined == 0 || wait_sums_by_word(&sums[joined - 1], &sums[i]) != 0) {
			sums[joined++] = sums[i];
			continue;
		}
		struct task_wait_sum *sum = &sums[joined - 1];
		sum->count++;
		sum->abandoned += sums[i].abandoned;
		sum->time_ns += sums[i].time_ns;
		sum->handled_ns += sums[i].handled_ns;
	}
	return joined;
}

struct task_wait_sum *work_wait_sums(const struct work *work, const struct recording *recording, size_t *len)
{
	struct task_wait_sum *sums = memory_zeroed(work->wait_count, sizeof *sums);
	for (size_t i = 0; i < work->wait_count; i++) {
		const struct task_wait *wait = &work->waits[i];
		sums[i] = (struct task_wait_sum){wait->kind, event_word(recording, &recording->events[wait->begin]), 1,
			wait_is_abandoned(recording, wait), wait_ns(recording, wait->begin, wait->end),
			wait_ns(recording, wait->handle, wait->handle_end)};
	}
	qsort(sums, work->wait_count, sizeof *sums, wait_sums_by_word);
	*len = wait_sums_join(sums, work->wait_count);
	qsort(sums, *len, sizeof *sums, wait_sums_longest_first);
	return sums;
}
