/* SPDX-License-Identifier: MIT */
#include "boxes.h"

#include <stdlib.h>
#include <string.h>

#include "box_parts.h"
#include "check.h"
#include "memory.h"

/* Deeper parts are one box: each takes some of the stack. More pixels than this few screens have. */
enum { MAX_DEPTH = 200, PIXELS = 1000 };

/* ---- drawing ---- */

struct drawing {
	const struct nest *nest;
	const struct box_sums *sums;
	struct boxes *boxes;
	uint64_t grain; /* what is narrower is drawn together with its neighbours */
	size_t *owners; /* by box: the series of which it has leaves */
	size_t owner_cap;
	size_t series; /* drawn up to now */
	size_t leaf_count;
};

/* Equal parts that are drawn as one, in the place of the first. */
struct bundle {
	const size_t *parts;
	size_t len;
};

/* Rows that a part may use. */
struct band {
	size_t row, rows;
	size_t depth; /* of the part */
};

static size_t draw_parallel(struct drawing *drawing, struct bundle bundle, struct band band);

static size_t add_box(struct drawing *drawing, size_t owner, struct box box)
{
	struct boxes *boxes = drawing->boxes;
	drawing->owners = memory_grown(drawing->owners, boxes->len, &drawing->owner_cap, sizeof *drawing->owners);
	boxes->boxes = memory_grown(boxes->boxes, boxes->len, &boxes->cap, sizeof *boxes->boxes);
	drawing->owners[boxes->len] = owner;
	boxes->boxes[boxes->len] = box;
	return boxes->len++;
}

/* Puts all leaves of the part into the box. */
static void fill_box(struct drawing *drawing, size_t box, size_t part)
{
	const struct nest *nest = drawing->nest;
	for (size_t at = part; at != TASKS_NONE; at = nest_next(nest, part, at))
		if (nest->parts[at].kind == NEST_LEAF)
			drawing->boxes->of_leaves[nest->parts[at].leaf] = box;
}

static void fill_box_with(struct drawing *drawing, size_t box, struct bundle bundle)
{
	for (size_t i = 0; i < bundle.len; i++)
		fill_box(drawing, box, bundle.parts[i]);
}

/* ---- a series ---- */

/* Walks over equal series, part by part. */
struct walk {
	size_t *parts; /* the present one of each */
	size_t len;
	size_t owner;
	struct band band;
	size_t narrow; /* the box of narrow neighbours; TASKS_NONE: none */
};

/* The part, or the first one behind it that has leaves. */
static size_t with_leaves(const struct drawing *drawing, size_t part)
{
	while (part != TASKS_NONE && drawing->sums[part].leaves == 0)
		part = drawing->nest->parts[part].next;
	return part;
}

/* Goes on to these parts. Returns false at the end of the first series. A series that ends before it, as one may whose
 * form has the same hash by chance, is left out from there on. */
static bool walk_to(const struct drawing *drawing, struct walk *walk)
{
	size_t kept = 0;
	for (size_t i = 0; i < walk->len; i++) {
		size_t part = with_leaves(drawing, walk->parts[i]);
		if (part != TASKS_NONE || i == 0)
			walk->parts[kept++] = part;
	}
	walk->len = kept;
	return walk->parts[0] != TASKS_NONE;
}

static bool walk_on(const struct drawing *drawing, struct walk *walk)
{
	for (size_t i = 0; i < walk->len; i++)
		walk->parts[i] = drawing->nest->parts[walk->parts[i]].next;
	return walk_to(drawing, walk);
}

/* Whether the box of narrow neighbours takes a further one. */
static bool takes(const struct drawing *drawing, const struct walk *walk, const struct box_sums *part)
{
	if (walk->narrow == TASKS_NONE)
		return false;
	const struct box *box = &drawing->boxes->boxes[walk->narrow];
	return box->until - box->from < drawing->grain && part->from - box->until < drawing->grain;
}

/* Draws a leaf, or what is too narrow to be drawn apart from its neighbours. */
static void draw_box(struct drawing *drawing, struct walk *walk, struct bundle bundle, bool is_leaf)
{
	const struct box_sums *part = &drawing->sums[bundle.parts[0]];
	struct box box = {.from = part->from, .row = walk->band.row, .rows = 1, .copies = is_leaf ? bundle.len : 0};
	if (!takes(drawing, walk, part))
		walk->narrow = add_box(drawing, walk->owner, box);
	else
		drawing->boxes->boxes[walk->narrow].copies = 0;
	drawing->boxes->boxes[walk->narrow].until = part->until;
	fill_box_with(drawing, walk->narrow, bundle);
}

/* Returns the rows used. */
static size_t draw_part(struct drawing *drawing, struct walk *walk)
{
	struct bundle bundle = {walk->parts, walk->len};
	const struct box_sums *part = &drawing->sums[walk->parts[0]];
	bool is_leaf = drawing->nest->parts[walk->parts[0]].kind == NEST_LEAF;
	bool is_narrow = part->until - part->from < drawing->grain;
	if (!is_narrow)
		walk->narrow = TASKS_NONE;
	if (!is_narrow && !is_leaf)
		return draw_parallel(drawing, bundle, walk->band);
	draw_box(drawing, walk, bundle, is_leaf);
	if (!is_narrow)
		walk->narrow = TASKS_NONE;
	return 1;
}

/* Returns the rows used. */
static size_t draw_series(struct drawing *drawing, struct bundle bundle, struct band band)
{
	size_t used = 1, first_box = drawing->boxes->len;
	struct walk walk = {memory_zeroed(bundle.len, sizeof(size_t)), bundle.len, drawing->series++, band, TASKS_NONE};
	for (size_t i = 0; i < bundle.len; i++)
		walk.parts[i] = drawing->nest->parts[bundle.parts[i]].first;
	for (bool has_part = walk_to(drawing, &walk); has_part; has_part = walk_on(drawing, &walk)) {
		size_t rows = draw_part(drawing, &walk);
		used = rows > used ? rows : used;
	}
	for (size_t i = first_box; i < drawing->boxes->len; i++)
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): each box has an owner */
		if (drawing->owners[i] == walk.owner)
			drawing->boxes->boxes[i].rows = used;
	free(walk.parts);
	return used;
}

/* ---- what is side by side ---- */

struct side {
	size_t part;
	const struct box_sums *sums;
	bool is_first; /* of the first of the bundle's parallel parts, which has the place of all */
};

struct group {
	struct side *sides;
	size_t len;
	uint64_t time_ns;
	size_t rows; /* given to it */
};

/* By form; of equal forms the one that has the place of all comes first. */
static int compare_sides(const void *a, const void *b)
{
	const struct side *left = a, *right = b;
	int order = box_parts_compare(left->sums->form, right->sums->form);
	order = order != 0 ? order : right->is_first - left->is_first;
	order = order != 0 ? order : box_parts_compare(right->sums->until, left->sums->until);
	return order != 0 ? order : box_parts_compare(left->sums->first_leaf, right->sums->first_leaf);
}

static int compare_places(const void *a, const void *b)
{
	const struct side *left = a, *right = b;
	return box_parts_compare(left->sums->first_leaf, right->sums->first_leaf);
}

static int compare_group_places(const void *a, const void *b)
{
	return compare_places(((const struct group *)a)->sides, ((const struct group *)b)->sides);
}

static int compare_group_times(const void *a, const void *b)
{
	const struct group *left = a, *right = b;
	int order = box_parts_compare(right->time_ns, left->time_ns);
	return order != 0 ? order : compare_group_places(a, b);
}

/* Returns the number of sides; there is room for all. */
static size_t list_sides(const struct drawing *drawing, struct bundle bundle, struct side *sides)
{
	size_t count = 0;
	for (size_t i = 0; i < bundle.len; i++) {
		const struct nest_part *parts = drawing->nest->parts;
		for (size_t part = parts[bundle.parts[i]].first; part != TASKS_NONE; part = parts[part].next)
			if (drawing->sums[part].leaves > 0)
				sides[count++] = (struct side){part, &drawing->sums[part], i == 0};
	}
	qsort(sides, count, sizeof *sides, compare_sides);
	return count;
}

static size_t count_sides(const struct drawing *drawing, struct bundle bundle)
{
	size_t count = 0;
	for (size_t i = 0; i < bundle.len; i++) {
		const struct nest_part *parts = drawing->nest->parts;
		for (size_t part = parts[bundle.parts[i]].first; part != TASKS_NONE; part = parts[part].next)
			count++;
	}
	return count;
}

static size_t list_groups(struct side *sides, size_t len, struct group *groups)
{
	size_t count = 0;
	for (size_t i = 0; i < len; i++) {
		if (i == 0 || sides[i].sums->form != sides[i - 1].sums->form)
			groups[count++] = (struct group){.sides = &sides[i]};
		groups[count - 1].len++;
		groups[count - 1].time_ns += sides[i].sums->time_ns;
	}
	return count;
}

/* Gives each group a row, and of the rest a share by what it could use: rows for all its sides, if there may be so
 * many. In a bundle there never are: it has more parts than rows. */
static void give_rows(struct group *groups, size_t len, size_t rows)
{
	double wishes = 0;
	for (size_t i = 0; i < len; i++) {
		size_t all = groups[i].sides->sums->rows * (groups[i].len <= rows ? groups[i].len : 1);
		groups[i].rows = all;
		wishes += (double)(all - 1);
	}
	double share = wishes > (double)(rows - len) ? (double)(rows - len) / wishes : 1;
	for (size_t i = 0; i < len; i++)
		groups[i].rows = 1 + (size_t)((double)(groups[i].rows - 1) * share);
}

static size_t draw_apart(struct drawing *drawing, const struct group *group, struct band band)
{
	size_t used = 0;
	qsort(group->sides, group->len, sizeof *group->sides, compare_places);
	for (size_t i = 0; i < group->len; i++) {
		struct band own = {
			band.row + used, group->rows / group->len + (i < group->rows % group->len), band.depth};
		used += draw_series(drawing, (struct bundle){&group->sides[i].part, 1}, own);
	}
	return used;
}

static size_t draw_as_one(struct drawing *drawing, const struct group *group, struct band band)
{
	size_t *parts = memory_zeroed(group->len, sizeof *parts);
	for (size_t i = 0; i < group->len; i++)
		parts[i] = group->sides[i].part;
	size_t used = draw_series(drawing, (struct bundle){parts, group->len}, band);
	free(parts);
	return used;
}

/* One box for groups of any forms. */
static size_t draw_rest(struct drawing *drawing, const struct group *groups, size_t len, size_t row)
{
	struct box box = {.from = UINT64_MAX, .row = row, .rows = 1};
	size_t number = add_box(drawing, TASKS_NONE, box);
	for (size_t i = 0; i < len; i++) {
		for (size_t k = 0; k < groups[i].len; k++) {
			const struct side *side = &groups[i].sides[k];
			fill_box(drawing, number, side->part);
			if (!side->is_first)
				continue;
			box.from = side->sums->from < box.from ? side->sums->from : box.from;
			box.until = side->sums->until > box.until ? side->sums->until : box.until;
		}
	}
	drawing->boxes->boxes[number] = box;
	return 1;
}

static size_t draw_groups(struct drawing *drawing, struct group *groups, size_t len, struct band band)
{
	size_t used = 0, kept = len <= band.rows ? len : band.rows - 1;
	if (band.depth > MAX_DEPTH)
		kept = 0;
	qsort(groups, len, sizeof *groups, compare_group_times);
	give_rows(groups, kept, kept < len ? band.rows - 1 : band.rows);
	qsort(groups, kept, sizeof *groups, compare_group_places);
	for (size_t i = 0; i < kept; i++) {
		struct band own = {band.row + used, groups[i].rows, band.depth + 1};
		bool is_apart = groups[i].rows >= groups[i].len;
		used += is_apart ? draw_apart(drawing, &groups[i], own) : draw_as_one(drawing, &groups[i], own);
	}
	if (kept < len)
		used += draw_rest(drawing, groups + kept, len - kept, band.row + used);
	return used;
}

/* Returns the rows used. */
static size_t draw_parallel(struct drawing *drawing, struct bundle bundle, struct band band)
{
	size_t room = count_sides(drawing, bundle);
	struct side *sides = memory_zeroed(room, sizeof *sides);
	struct group *groups = memory_zeroed(room, sizeof *groups);
	size_t len = list_groups(sides, list_sides(drawing, bundle, sides), groups);
	size_t used = draw_groups(drawing, groups, len, band);
	free(sides);
	free(groups);
	return used;
}

/* ---- the whole ---- */

static void draw_all(struct drawing *drawing, struct box_room room)
{
	const size_t whole = 0;
	drawing->boxes->len = drawing->series = 0;
	memset(drawing->boxes->of_leaves, 0, drawing->leaf_count * sizeof *drawing->boxes->of_leaves);
	drawing->boxes->rows = draw_series(drawing, (struct bundle){&whole, 1}, (struct band){0, room.rows, 0});
}

struct boxes boxes_of(const struct nest *nest, const struct box_leaf *leaves, size_t len, struct box_room room)
{
	struct boxes boxes = {.of_leaves = memory_zeroed(len, sizeof(size_t))};
	struct box_sums *sums = box_sums_of(nest, leaves);
	REQUIRES(room.rows > 0);
	boxes.extent = len > 0 ? sums[0].until : 0;
	struct drawing drawing = {
		.nest = nest, .sums = sums, .boxes = &boxes, .grain = boxes.extent / PIXELS, .leaf_count = len};
	if (sums[0].leaves > 0)
		draw_all(&drawing, room);
	while (boxes.len > room.boxes && drawing.grain <= boxes.extent) {
		drawing.grain = 2 * drawing.grain + 1;
		draw_all(&drawing, room);
	}
	box_parts_count(&boxes, leaves, len);
	free(drawing.owners);
	free(sums);
	return boxes;
}

void boxes_fini(struct boxes *boxes)
{
	free(boxes->boxes);
	free(boxes->of_leaves);
	*boxes = (struct boxes){.len = 0};
}
