/* SPDX-License-Identifier: MIT
 * Of each slot one group is pending, until a bar or point comes that does not belong to it. */
#include "export_svg_fold.h"

#include <stdlib.h>

#include "check.h"
#include "memory.h"

/* ---- the scale ---- */

double svg_x(const struct svg_scale *scale, uint64_t time_ns)
{
	uint64_t span_ns = scale->until_ns - scale->from_ns;
	if (time_ns <= scale->from_ns || span_ns == 0)
		return scale->left;
	if (time_ns >= scale->until_ns)
		return scale->left + scale->width;
	return scale->left + scale->width * ((double)(time_ns - scale->from_ns) / (double)span_ns);
}

bool svg_shows(const struct svg_scale *scale, uint64_t from_ns, uint64_t until_ns)
{
	if (from_ns >= until_ns || scale->from_ns == scale->until_ns)
		return from_ns <= scale->until_ns && until_ns >= scale->from_ns;
	return from_ns < scale->until_ns && until_ns > scale->from_ns;
}

uint64_t svg_tick_ns(uint64_t span_ns, uint64_t max)
{
	static const uint64_t rounds[] = {1, 2, 5};
	REQUIRES(max >= 1);
	for (uint64_t power = 1;; power *= 10) {
		for (size_t i = 0; i < sizeof rounds / sizeof rounds[0]; i++)
			if (span_ns / (power * rounds[i]) <= max)
				return power * rounds[i];
		if (power > UINT64_MAX / 50)
			return 10 * power;
	}
}

/* The pixel of an x. At the right border it is the last one. */
static double pixel(const struct svg_scale *scale, double x)
{
	double last = scale->left + scale->width - 1;
	double at = scale->left + (double)(uint64_t)(x - scale->left);
	return at > last ? last : at;
}

/* ---- bars ---- */

enum svg_fate svg_group_fate(const struct svg_group *group)
{
	enum svg_fate max = group->first.fate;
	for (unsigned fate = 0; fate < SVG_FATES; fate++) {
		bool is_more = group->time_ns[fate] > group->time_ns[max];
		bool is_equal = group->time_ns[fate] == group->time_ns[max] && group->count[fate] > 0;
		if (is_more || (is_equal && fate < max))
			max = (enum svg_fate)fate;
	}
	return max;
}

double svg_group_shade(const struct svg_group *group)
{
	return group->shade_weight > 0 ? group->shade_sum / group->shade_weight : 0;
}

struct svg_fold svg_fold_init(
	const struct svg_scale *scale, size_t slots, void (*draw)(void *arg, const struct svg_group *group), void *arg)
{
	return (struct svg_fold){scale, slots, memory_zeroed(slots, sizeof(struct svg_group)), draw, arg};
}

static void flush_group(struct svg_fold *fold, struct svg_group *group)
{
	if (group->total > 0)
		fold->draw(fold->arg, group);
	group->total = 0;
}

static struct svg_group group_of(const struct svg_scale *scale, const struct svg_bar *bar)
{
	struct svg_group group = {.first = *bar};
	group.from_ns = bar->bar.from_ns > scale->from_ns ? bar->bar.from_ns : scale->from_ns;
	group.until_ns = bar->bar.until_ns < scale->until_ns ? bar->bar.until_ns : scale->until_ns;
	group.x = svg_x(scale, group.from_ns);
	group.width = svg_x(scale, group.until_ns) - group.x;
	group.is_narrow = group.width < 1;
	if (group.is_narrow) {
		group.x = pixel(scale, group.x);
		group.width = 1;
	}
	return group;
}

static void add(struct svg_group *group, const struct svg_bar *bar)
{
	uint64_t length_ns = bar->bar.until_ns - bar->bar.from_ns;
	group->total++;
	group->count[bar->fate]++;
	group->time_ns[bar->fate] += length_ns;
	group->lost += bar->lost;
	group->shade_sum += bar->shade * ((double)length_ns + 1);
	group->shade_weight += (double)length_ns + 1;
}

void svg_fold_bar(struct svg_fold *fold, size_t slot, const struct svg_bar *bar)
{
	struct svg_group *pending = &fold->pending[slot];
	struct svg_group group = group_of(fold->scale, bar);
	REQUIRES(svg_shows(fold->scale, bar->bar.from_ns, bar->bar.until_ns));
	REQUIRES(pending->total == 0 || pending->until_ns <= group.until_ns);
	bool is_same = pending->total > 0 && pending->is_narrow && group.is_narrow && pending->x == group.x;
	if (!is_same) {
		flush_group(fold, pending);
		*pending = group;
	} else if (group.until_ns > pending->until_ns) {
		pending->until_ns = group.until_ns;
	}
	add(pending, bar);
}

void svg_fold_end(struct svg_fold *fold)
{
	for (size_t slot = 0; slot < fold->slots; slot++)
		flush_group(fold, &fold->pending[slot]);
	free(fold->pending);
	fold->pending = NULL;
}

/* ---- points ---- */

struct svg_dot_fold svg_dot_fold_init(
	const struct svg_scale *scale, size_t slots, void (*draw)(void *arg, const struct svg_dots *dots), void *arg)
{
	return (struct svg_dot_fold){scale, slots, memory_zeroed(slots, sizeof(struct svg_dots)), draw, arg};
}

static void flush_dots(struct svg_dot_fold *fold, struct svg_dots *dots)
{
	if (dots->total > 0)
		fold->draw(fold->arg, dots);
	dots->total = 0;
}

void svg_fold_dot(struct svg_dot_fold *fold, size_t slot, const struct bar_point *point)
{
	struct svg_dots *dots = &fold->pending[slot];
	double x = svg_x(fold->scale, point->time_ns);
	double middle = pixel(fold->scale, x) + 0.5;
	if (dots->total > 0 && pixel(fold->scale, dots->x) + 0.5 == middle) {
		dots->x = middle;
	} else {
		flush_dots(fold, dots);
		*dots = (struct svg_dots){.first = *point, .x = x};
	}
	dots->last = *point;
	dots->total++;
}

void svg_dot_fold_end(struct svg_dot_fold *fold)
{
	for (size_t slot = 0; slot < fold->slots; slot++)
		flush_dots(fold, &fold->pending[slot]);
	free(fold->pending);
	fold->pending = NULL;
}

/* ---- arrows ---- */

static void flush_arrows(struct svg_arrow_fold *fold)
{
	for (size_t i = 0; i < fold->len; i++)
		fold->draw(fold->arg, &fold->pending[i]);
	fold->len = 0;
}

static uint64_t cell(const struct svg_arrow_fold *fold, double x)
{
	return (uint64_t)((pixel(fold->scale, x) - fold->scale->left) / fold->grain);
}

static bool are_same(const struct svg_arrow_fold *fold, const struct svg_arrows *one, const struct svg_arrows *other)
{
	return one->first.lane == other->first.lane && one->first.arrow_lane == other->first.arrow_lane &&
	       cell(fold, one->from_x) == cell(fold, other->from_x);
}

void svg_fold_arrow(struct svg_arrow_fold *fold, const struct bar_point *end)
{
	REQUIRES(fold->len == 0 || fold->pending[fold->len - 1].last_ns <= end->time_ns);
	struct svg_arrows arrows = {.first = *end, .total = 1, .last_ns = end->time_ns};
	arrows.x = svg_x(fold->scale, end->time_ns);
	arrows.from_x = svg_x(fold->scale, end->arrow_ns);
	bool is_next = fold->len > 0 && cell(fold, fold->pending[0].x) != cell(fold, arrows.x);
	if (is_next || fold->len == SVG_ARROWS_AT_ONCE)
		flush_arrows(fold);
	for (size_t i = 0; i < fold->len; i++) {
		if (!are_same(fold, &fold->pending[i], &arrows))
			continue;
		fold->pending[i].total++;
		fold->pending[i].last_ns = end->time_ns;
		return;
	}
	fold->pending[fold->len++] = arrows;
}

void svg_arrow_fold_end(struct svg_arrow_fold *fold)
{
	flush_arrows(fold);
}
