/* SPDX-License-Identifier: MIT */
#include "picture.h"

#include <stdlib.h>

#include "check.h"
#include "memory.h"
#include "sort.h"

/* What boxes are made of: a segment, or a task. */
struct leaf {
	uint64_t from, until;
	size_t row;
	uint64_t time_ns;
	size_t tag;
	double speed;
};

/* ---- rows that are used again: the lowest one that is free ---- */

/* A heap, the least number first. */
struct free_rows {
	size_t *rows;
	size_t len;
};

static void free_rows_push(struct free_rows *heap, size_t row)
{
	size_t at = heap->len++;
	for (; at > 0 && heap->rows[(at - 1) / 2] > row; at = (at - 1) / 2)
		heap->rows[at] = heap->rows[(at - 1) / 2];
	heap->rows[at] = row;
}

static size_t free_rows_pop(struct free_rows *heap)
{
	size_t least = heap->rows[0], row = heap->rows[--heap->len], at = 0;
	for (size_t child; (child = 2 * at + 1) < heap->len; at = child) {
		if (child + 1 < heap->len && heap->rows[child + 1] < heap->rows[child])
			child++;
		if (heap->rows[child] >= row)
			break;
		heap->rows[at] = heap->rows[child];
	}
	heap->rows[at] = row;
	return least;
}

/* The beginning or the end of a task along the axis. */
struct bound {
	uint64_t at;
	size_t task;
	bool is_begin;
};

/* Ends come before beginnings at the same place. */
static int compare_bounds(const void *a, const void *b)
{
	const struct bound *left = a, *right = b;
	int order = sort_numbers(left->at, right->at);
	order = order != 0 ? order : (int)left->is_begin - (int)right->is_begin;
	return order != 0 ? order : sort_numbers(left->task, right->task);
}

/* A task that takes no time has its row for a moment. Returns how many bounds there are. */
static size_t list_bounds(const struct work *work, const struct leaf *segments, struct bound *bounds)
{
	size_t len = 0;
	for (size_t i = 0; i < work->task_count; i++) {
		const struct task *task = &work->tasks[i];
		if (task->segment_count == 0)
			continue;
		uint64_t from = segments[task->first_segment].from;
		uint64_t until = segments[task->first_segment + task->segment_count - 1].until;
		bounds[len++] = (struct bound){from, i, true};
		bounds[len++] = (struct bound){until > from ? until : from + 1, i, false};
	}
	qsort(bounds, len, sizeof *bounds, compare_bounds);
	return len;
}

/* Gives each segment the row of its task. Returns the number of rows. */
static size_t give_rows(const struct work *work, struct leaf *segments)
{
	struct bound *bounds = memory_zeroed(2 * work->task_count, sizeof *bounds);
	struct free_rows heap = {.rows = memory_zeroed(work->task_count, sizeof(size_t))};
	size_t len = list_bounds(work, segments, bounds), rows = 0;
	for (size_t i = 0; i < len; i++) {
		const struct task *task = &work->tasks[bounds[i].task];
		if (!bounds[i].is_begin) {
			free_rows_push(&heap, segments[task->first_segment].row);
			continue;
		}
		size_t row = heap.len > 0 ? free_rows_pop(&heap) : rows++;
		for (size_t k = 0; k < task->segment_count; k++)
			segments[task->first_segment + k].row = row;
	}
	free(heap.rows);
	free(bounds);
	return rows;
}

/* ---- boxes ---- */

/* More pixels than this few screens have. */
enum { PIXELS = 1000 };

struct fold {
	struct layout *layout;
	const struct leaf *leaves;
	size_t len, rows; /* all that there are */
	uint64_t grain;   /* what is narrower is drawn together with its neighbours */
};

struct place {
	size_t row, leaf;
	uint64_t from;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *left = a, *right = b;
	int order = sort_numbers(left->row, right->row);
	order = order != 0 ? order : sort_numbers(left->from, right->from);
	return order != 0 ? order : sort_numbers(left->leaf, right->leaf);
}

static struct place *list_places(const struct fold *fold)
{
	struct place *places = memory_zeroed(fold->len, sizeof *places);
	for (size_t i = 0; i < fold->len; i++)
		places[i] =
			(struct place){fold->leaves[i].row * fold->layout->rows / fold->rows, i, fold->leaves[i].from};
	qsort(places, fold->len, sizeof *places, compare_places);
	return places;
}

/* Whether the leaf is drawn as a part of the box that comes before it in its row. */
static bool box_takes(const struct box *box, const struct leaf *leaf, uint64_t grain)
{
	bool is_narrow = box->until - box->from < grain && leaf->until - leaf->from < grain;
	return leaf->from < box->until || (is_narrow && leaf->from - box->until < grain);
}

static void fold_place(struct fold *fold, const struct place *place)
{
	struct layout *layout = fold->layout;
	const struct leaf *leaf = &fold->leaves[place->leaf];
	struct box *last = layout->len > 0 ? &layout->boxes[layout->len - 1] : NULL;
	if (last == NULL || last->row != place->row || !box_takes(last, leaf, fold->grain)) {
		layout->boxes = memory_grown(layout->boxes, layout->len, &layout->cap, sizeof *layout->boxes);
		last = &layout->boxes[layout->len++];
		*last = (struct box){.from = leaf->from, .until = leaf->until, .row = place->row};
	}
	last->until = leaf->until > last->until ? leaf->until : last->until;
	layout->of[place->leaf] = layout->len - 1;
}

static void fold_all(struct fold *fold)
{
	struct layout *layout = fold->layout;
	struct place *places = list_places(fold);
	do {
		layout->len = 0;
		for (size_t i = 0; i < fold->len; i++)
			fold_place(fold, &places[i]);
		fold->grain = 2 * fold->grain + 1;
	} while (layout->len > LAYOUT_BOXES && fold->grain <= 2 * layout->extent + 1);
	free(places);
}

/* ---- what boxes stand for ---- */

/* A leaf in its box. */
struct filling {
	size_t box, tag, leaf;
};

static int compare_fillings(const void *a, const void *b)
{
	const struct filling *left = a, *right = b;
	int order = sort_numbers(left->box, right->box);
	order = order != 0 ? order : sort_numbers(left->tag, right->tag);
	return order != 0 ? order : sort_numbers(left->leaf, right->leaf);
}

static void box_count(struct box *box, const struct leaf *leaf, size_t number)
{
	box->min_ns = box->count == 0 || leaf->time_ns < box->min_ns ? leaf->time_ns : box->min_ns;
	box->max_ns = leaf->time_ns > box->max_ns ? leaf->time_ns : box->max_ns;
	box->first = box->count == 0 || number < box->first ? number : box->first;
	box->time_ns += leaf->time_ns;
	box->count++;
}

/* Counts the leaves of one box and one tag. `most_ns` is the time of the box's tag up to now. Returns how many. */
static size_t box_count_tag(
	struct box *box, const struct filling *fillings, size_t len, const struct leaf *leaves, uint64_t *most_ns)
{
	uint64_t time_ns = 0;
	double weighted = 0, sum = 0;
	size_t count = 0;
	for (; count < len && fillings[count].box == fillings[0].box && fillings[count].tag == fillings[0].tag;
		count++) {
		const struct leaf *leaf = &leaves[fillings[count].leaf];
		box_count(box, leaf, fillings[count].leaf);
		time_ns += leaf->time_ns;
		weighted += leaf->speed * (double)leaf->time_ns;
		sum += leaf->speed;
	}
	box->is_alike = box->count == count;
	if (!box->is_alike && time_ns <= *most_ns)
		return count;
	*most_ns = time_ns;
	box->tag = fillings[0].tag;
	box->speed = time_ns > 0 ? weighted / (double)time_ns : sum / (double)count;
	return count;
}

static void count_boxes(struct layout *layout, const struct leaf *leaves, size_t len)
{
	uint64_t most_ns = 0;
	struct filling *fillings = memory_zeroed(len, sizeof *fillings);
	for (size_t i = 0; i < len; i++)
		fillings[i] = (struct filling){layout->of[i], leaves[i].tag, i};
	qsort(fillings, len, sizeof *fillings, compare_fillings);
	for (size_t i = 0; i < len;) {
		if (i == 0 || fillings[i].box != fillings[i - 1].box)
			most_ns = 0;
		i += box_count_tag(&layout->boxes[fillings[i].box], fillings + i, len - i, leaves, &most_ns);
	}
	free(fillings);
}

static struct layout fold_leaves(const struct leaf *leaves, size_t len, size_t rows)
{
	struct layout layout = {
		.rows = rows < LAYOUT_ROWS ? rows : LAYOUT_ROWS, .of = memory_zeroed(len, sizeof(size_t))};
	for (size_t i = 0; i < len; i++)
		layout.extent = leaves[i].until > layout.extent ? leaves[i].until : layout.extent;
	struct fold fold = {&layout, leaves, len, rows, layout.extent / PIXELS};
	fold_all(&fold);
	count_boxes(&layout, leaves, len);
	return layout;
}

/* ---- edges ---- */

static int compare_box_edges(const void *a, const void *b)
{
	const struct box_edge *left = a, *right = b;
	int order = sort_numbers(left->from, right->from);
	return order != 0 ? order : sort_numbers(left->to, right->to);
}

/* Within a row the order of the boxes shows which of them leads to which. */
static void add_edge(struct layout *layout, size_t from, size_t to)
{
	size_t before = layout->of[from], behind = layout->of[to];
	if (layout->boxes[before].row != layout->boxes[behind].row)
		layout->edges[layout->edge_count++] = (struct box_edge){before, behind};
}

static void finish_edges(struct layout *layout)
{
	size_t kept = 0;
	qsort(layout->edges, layout->edge_count, sizeof *layout->edges, compare_box_edges);
	for (size_t i = 0; i < layout->edge_count; i++)
		if (kept == 0 || compare_box_edges(&layout->edges[kept - 1], &layout->edges[i]) != 0)
			layout->edges[kept++] = layout->edges[i];
	layout->edge_count = kept < LAYOUT_EDGES ? kept : LAYOUT_EDGES;
	layout->edges_left_out = kept - layout->edge_count;
}

/* ---- the two pictures ---- */

/* The segments at their earliest. Without a region a segment is as fast as can be. */
static struct leaf *leaves_of_segments(const struct work *work)
{
	struct leaf *leaves = memory_zeroed(work->segment_count, sizeof *leaves);
	uint64_t *earliest_ns = work_earliest_ns(work);
	for (size_t i = 0; i < work->segment_count; i++) {
		const struct segment *segment = &work->segments[i];
		const struct region *region = segment->region != WORK_NONE ? &work->regions[segment->region] : NULL;
		uint64_t time_ns = segment->until_ns - segment->from_ns;
		leaves[i] = (struct leaf){earliest_ns[i], earliest_ns[i] + time_ns, 0, time_ns,
			region != NULL ? region->tag_number : WORK_NONE, region != NULL ? region->relative : 1};
	}
	free(earliest_ns);
	return leaves;
}

struct layout layout_graph(const struct work *work)
{
	REQUIRES(work->fault == NULL);
	struct leaf *leaves = leaves_of_segments(work);
	struct layout layout = fold_leaves(leaves, work->segment_count, give_rows(work, leaves));
	size_t edges = 0;
	for (size_t i = 0; i < work->segment_count; i++)
		edges += work->segments[i].child_count;
	layout.edges = memory_zeroed(edges, sizeof *layout.edges);
	for (size_t i = 0; i < work->segment_count; i++)
		for (size_t k = 0; k < work->segments[i].child_count; k++)
			add_edge(&layout, i, work->segments[i].children[k]);
	finish_edges(&layout);
	free(leaves);
	return layout;
}

/* A task's longest segment gives it its tag and its speed. */
static struct leaf leaf_of_task(const struct leaf *segments, const struct task *task)
{
	struct leaf leaf = {.until = 1, .tag = WORK_NONE, .speed = 1};
	uint64_t longest_ns = 0;
	for (size_t i = 0; i < task->segment_count; i++) {
		const struct leaf *segment = &segments[task->first_segment + i];
		leaf.time_ns += segment->time_ns;
		if (i > 0 && segment->time_ns <= longest_ns)
			continue;
		longest_ns = segment->time_ns;
		leaf.tag = segment->tag;
		leaf.speed = segment->speed;
	}
	return leaf;
}

/* The forest of tasks. All roots are children of one number more than there are tasks. */
struct creations {
	size_t *parent, *first, *next;
};

static struct creations creations_of(const struct work *work)
{
	size_t len = work->task_count;
	struct creations tree = {memory_zeroed(len + 1, sizeof(size_t)), memory_zeroed(len + 1, sizeof(size_t)),
		memory_zeroed(len + 1, sizeof(size_t))};
	tree.first[len] = tree.next[len] = WORK_NONE;
	for (size_t i = 0; i < len; i++) {
		tree.parent[i] = work->tasks[i].parent != WORK_NONE ? work->tasks[i].parent : len;
		tree.first[i] = WORK_NONE;
	}
	for (size_t i = len; i-- > 0;) {
		tree.next[i] = tree.first[tree.parent[i]];
		tree.first[tree.parent[i]] = i;
	}
	return tree;
}

/* The task that follows in a walk that takes creators first, each with all below it; WORK_NONE behind the last. */
static size_t creations_next(const struct creations *tree, size_t at, size_t root)
{
	if (tree->first[at] != WORK_NONE)
		return tree->first[at];
	while (at != root && tree->next[at] == WORK_NONE)
		at = tree->parent[at];
	return at != root ? tree->next[at] : WORK_NONE;
}

/* Gives tasks their places. Returns the number of rows. */
static size_t stack_tasks(const struct work *work, struct leaf *leaves)
{
	size_t rows = 0, root = work->task_count;
	struct creations tree = creations_of(work);
	for (size_t at = tree.first[root]; at != WORK_NONE; at = creations_next(&tree, at, root)) {
		size_t parent = tree.parent[at];
		bool is_beside = parent != root && tree.first[parent] == at;
		leaves[at].from = parent != root ? leaves[parent].until : 0;
		leaves[at].until = leaves[at].from + 1;
		leaves[at].row = is_beside ? leaves[parent].row : rows++;
	}
	free(tree.parent);
	free(tree.first);
	free(tree.next);
	return rows > 0 ? rows : 1;
}

struct layout layout_creations(const struct work *work)
{
	REQUIRES(work->fault == NULL);
	struct leaf *segments = leaves_of_segments(work), *leaves = memory_zeroed(work->task_count, sizeof *leaves);
	for (size_t i = 0; i < work->task_count; i++)
		leaves[i] = leaf_of_task(segments, &work->tasks[i]);
	struct layout layout = fold_leaves(leaves, work->task_count, stack_tasks(work, leaves));
	layout.edges = memory_zeroed(work->task_count, sizeof *layout.edges);
	for (size_t i = 0; i < work->task_count; i++)
		if (work->tasks[i].parent != WORK_NONE)
			add_edge(&layout, work->tasks[i].parent, i);
	finish_edges(&layout);
	free(segments);
	free(leaves);
	return layout;
}

void layout_fini(struct layout *layout)
{
	free(layout->boxes);
	free(layout->of);
	free(layout->edges);
	*layout = (struct layout){.len = 0};
}
