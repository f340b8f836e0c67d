/* SPDX-License-Identifier: MIT */
#include "box_parts.h"

#include <stdlib.h>

#include "memory.h"

/* ---- sums of parts, from the leaves on ---- */

static uint64_t mix(uint64_t value)
{
	value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
	return value ^ value >> 31;
}

static struct box_sums sums_of_leaf(const struct box_leaf *leaf, size_t number)
{
	return (struct box_sums){mix(leaf->tag + 2), leaf->from, leaf->until, leaf->time_ns, number, 1, 1};
}

/* Parts that are side by side may come in any order, those of a series come from the last one on. */
static void add_sums(struct box_sums *above, enum nest_kind kind, const struct box_sums *part)
{
	bool is_series = kind == NEST_SERIES;
	above->form = is_series ? mix(above->form * 3 + part->form) : above->form + mix(part->form);
	above->from = part->from < above->from ? part->from : above->from;
	above->until = part->until > above->until ? part->until : above->until;
	above->time_ns += part->time_ns;
	above->first_leaf = part->first_leaf < above->first_leaf ? part->first_leaf : above->first_leaf;
	above->leaves += part->leaves;
	if (!is_series)
		above->rows += part->rows;
	else if (part->rows > above->rows)
		above->rows = part->rows;
}

struct box_sums *box_sums_of(const struct nest *nest, const struct box_leaf *leaves)
{
	struct box_sums *sums = memory_zeroed(nest->len, sizeof *sums);
	for (size_t i = 0; i < nest->len; i++)
		sums[i] = (struct box_sums){.form = nest->parts[i].kind, .from = UINT64_MAX, .first_leaf = SIZE_MAX};
	for (size_t i = nest->len; i-- > 0;) {
		const struct nest_part *part = &nest->parts[i];
		if (part->kind == NEST_LEAF)
			sums[i] = sums_of_leaf(&leaves[part->leaf], part->leaf);
		if (part->parent != TASKS_NONE && sums[i].leaves > 0)
			add_sums(&sums[part->parent], nest->parts[part->parent].kind, &sums[i]);
	}
	return sums;
}

/* ---- what boxes stand for ---- */

/* A leaf in its box. */
struct filling {
	size_t box, tag, leaf;
};

static int compare_fillings(const void *a, const void *b)
{
	const struct filling *left = a, *right = b;
	int order = box_parts_compare(left->box, right->box);
	order = order != 0 ? order : box_parts_compare(left->tag, right->tag);
	return order != 0 ? order : box_parts_compare(left->leaf, right->leaf);
}

static void count_leaf(struct box *box, const struct box_leaf *leaf, size_t number)
{
	box->min_ns = box->leaves == 0 || leaf->time_ns < box->min_ns ? leaf->time_ns : box->min_ns;
	box->max_ns = leaf->time_ns > box->max_ns ? leaf->time_ns : box->max_ns;
	box->leaf = box->leaves == 0 || number < box->leaf ? number : box->leaf;
	box->time_ns += leaf->time_ns;
	box->leaves++;
}

/* Counts the leaves of one box and one tag. `longest_ns` is the time of the box's tag up to now. Returns how many. */
static size_t count_tag(struct box *box, const struct filling *fillings, size_t len, const struct box_leaf *leaves,
	uint64_t *longest_ns)
{
	uint64_t time_ns = 0;
	double weighted = 0, sum = 0;
	size_t count = 0;
	for (; count < len && fillings[count].box == fillings[0].box && fillings[count].tag == fillings[0].tag;
		count++) {
		const struct box_leaf *leaf = &leaves[fillings[count].leaf];
		count_leaf(box, leaf, fillings[count].leaf);
		time_ns += leaf->time_ns;
		weighted += leaf->speed * (double)leaf->time_ns;
		sum += leaf->speed;
	}
	if (box->leaves > count && time_ns <= *longest_ns)
		return count;
	*longest_ns = time_ns;
	box->tag = fillings[0].tag;
	box->speed = time_ns > 0 ? weighted / (double)time_ns : sum / (double)count;
	return count;
}

void box_parts_count(struct boxes *boxes, const struct box_leaf *leaves, size_t len)
{
	uint64_t longest_ns = 0;
	struct filling *fillings = memory_zeroed(len, sizeof *fillings);
	for (size_t i = 0; i < len; i++)
		fillings[i] = (struct filling){boxes->of_leaves[i], leaves[i].tag, i};
	qsort(fillings, len, sizeof *fillings, compare_fillings);
	for (size_t i = 0; i < len;) {
		if (i == 0 || fillings[i].box != fillings[i - 1].box)
			longest_ns = 0;
		i += count_tag(&boxes->boxes[fillings[i].box], fillings + i, len - i, leaves, &longest_ns);
	}
	free(fillings);
}
