/* SPDX-License-Identifier: MIT
 * Folding of bars, points and arrows: the sums of the groups are those of what was folded. */
#include <stdlib.h>
#include <string.h>

#include "export_svg_fold.h"
#include "random.h"
#include "test.h"

static const struct svg_scale hundred = {.from_ns = 1000, .until_ns = 2000, .left = 10, .width = 100};

TEST(times_outside_are_at_the_borders)
{
	const struct svg_scale point = {.from_ns = 5, .until_ns = 5, .left = 10, .width = 100};
	assert_true(svg_x(&hundred, 0) == 10);
	assert_true(svg_x(&hundred, 1000) == 10);
	assert_true(svg_x(&hundred, 1500) == 60);
	assert_true(svg_x(&hundred, 2000) == 110);
	assert_true(svg_x(&hundred, UINT64_MAX) == 110);
	assert_true(svg_x(&point, 4) == 10 && svg_x(&point, 5) == 10 && svg_x(&point, 6) == 10);
}

TEST(only_what_has_some_of_it_in_the_window_is_shown)
{
	const struct svg_scale point = {.from_ns = 1000, .until_ns = 1000, .left = 10, .width = 100};
	assert_false(svg_shows(&hundred, 0, 999));
	assert_false(svg_shows(&hundred, 0, 1000));
	assert_true(svg_shows(&hundred, 0, 1001));
	assert_true(svg_shows(&hundred, 0, UINT64_MAX));
	assert_true(svg_shows(&hundred, 1999, 3000));
	assert_false(svg_shows(&hundred, 2000, 3000));
	assert_false(svg_shows(&hundred, 999, 999));
	assert_true(svg_shows(&hundred, 1000, 1000));
	assert_true(svg_shows(&hundred, 2000, 2000));
	assert_false(svg_shows(&hundred, 2001, 2001));
	assert_true(svg_shows(&point, 1000, 2000));
	assert_true(svg_shows(&point, 0, 1000));
	assert_false(svg_shows(&point, 1001, 2000));
}

TEST(ticks_are_round_and_as_many_as_there_is_room_for)
{
	assert_int_equal(svg_tick_ns(0, 10), 1);
	assert_int_equal(svg_tick_ns(10, 10), 1);
	assert_int_equal(svg_tick_ns(11, 10), 2);
	assert_int_equal(svg_tick_ns(21, 10), 2);
	assert_int_equal(svg_tick_ns(22, 10), 5);
	assert_int_equal(svg_tick_ns(1000, 10), 100);
	assert_int_equal(svg_tick_ns(55000000, 9), 10000000);
	for (uint64_t span_ns = 1; span_ns < UINT64_MAX / 3; span_ns = 3 * span_ns + 1)
		assert_true(span_ns / svg_tick_ns(span_ns, 7) <= 7);
	assert_true(UINT64_MAX / svg_tick_ns(UINT64_MAX, 1) <= 1);
}

/* ---- groups ---- */

struct drawn {
	struct svg_group groups[64];
	struct svg_dots dots[64];
	struct svg_arrows arrows[2 * SVG_ARROWS_AT_ONCE];
	size_t len;
};

static void keep_group(void *arg, const struct svg_group *group)
{
	struct drawn *drawn = arg;
	assert_true(drawn->len < 64);
	drawn->groups[drawn->len++] = *group;
}

static void keep_dots(void *arg, const struct svg_dots *dots)
{
	struct drawn *drawn = arg;
	assert_true(drawn->len < 64);
	drawn->dots[drawn->len++] = *dots;
}

static void keep_arrows(void *arg, const struct svg_arrows *arrows)
{
	struct drawn *drawn = arg;
	assert_true(drawn->len < 2 * SVG_ARROWS_AT_ONCE);
	drawn->arrows[drawn->len++] = *arrows;
}

static struct svg_bar bar(size_t index, uint64_t from_ns, uint64_t until_ns, enum svg_fate fate)
{
	return (struct svg_bar){.bar = {.index = index, .from_ns = from_ns, .until_ns = until_ns}, .fate = fate};
}

static void put(struct svg_fold *fold, size_t slot, struct svg_bar bar)
{
	svg_fold_bar(fold, slot, &bar);
}

TEST(bars_of_a_pixel_and_more_stay_what_they_are)
{
	struct drawn drawn = {.len = 0};
	struct svg_fold fold = svg_fold_init(&hundred, 1, keep_group, &drawn);
	put(&fold, 0, bar(1, 0, 1010, SVG_COMMIT));
	put(&fold, 0, bar(2, 1010, 1020, SVG_ABORT));
	put(&fold, 0, bar(3, 1020, 5000, SVG_COMMIT));
	svg_fold_end(&fold);
	assert_int_equal(drawn.len, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(drawn.groups[i].total, 1);
		assert_int_equal(drawn.groups[i].first.bar.index, i + 1);
	}
	assert_true(drawn.groups[0].x == 10 && drawn.groups[0].width == 1);
	assert_true(drawn.groups[2].x == 12 && drawn.groups[2].width == 98);
}

TEST(narrow_bars_on_one_pixel_are_one_and_say_what_of)
{
	struct drawn drawn = {.len = 0};
	struct svg_fold fold = svg_fold_init(&hundred, 2, keep_group, &drawn);
	put(&fold, 0, bar(1, 1000, 1003, SVG_COMMIT));
	put(&fold, 1, bar(2, 1000, 1003, SVG_COMMIT));
	put(&fold, 0, bar(3, 1003, 1007, SVG_ABORT));
	put(&fold, 0, bar(4, 1008, 1009, SVG_OPEN));
	put(&fold, 0, bar(5, 1010, 1011, SVG_COMMIT));
	svg_fold_end(&fold);
	assert_int_equal(drawn.len, 3);
	const struct svg_group *group = &drawn.groups[0];
	assert_int_equal(group->total, 3);
	assert_int_equal(group->first.bar.index, 1);
	assert_int_equal(group->count[SVG_COMMIT], 1);
	assert_int_equal(group->count[SVG_ABORT], 1);
	assert_int_equal(group->count[SVG_OPEN], 1);
	assert_int_equal(group->time_ns[SVG_ABORT], 4);
	assert_int_equal(svg_group_fate(group), SVG_ABORT);
	assert_int_equal(group->from_ns, 1000);
	assert_int_equal(group->until_ns, 1009);
	assert_true(group->x == 10 && group->width == 1);
	assert_int_equal(drawn.groups[1].first.bar.index, 5);
	assert_int_equal(drawn.groups[2].first.bar.index, 2);
}

TEST(bars_of_no_length_have_a_fate_and_a_pixel_of_the_window)
{
	struct drawn drawn = {.len = 0};
	struct svg_fold fold = svg_fold_init(&hundred, 1, keep_group, &drawn);
	put(&fold, 0, bar(1, 2000, 2000, SVG_OPEN));
	put(&fold, 0, bar(2, 2000, 2000, SVG_ABORT));
	svg_fold_end(&fold);
	assert_int_equal(drawn.len, 1);
	assert_int_equal(svg_group_fate(&drawn.groups[0]), SVG_ABORT);
	assert_true(drawn.groups[0].x == 109 && drawn.groups[0].width == 1);
}

TEST(shades_are_the_mean_by_time)
{
	struct drawn drawn = {.len = 0};
	struct svg_fold fold = svg_fold_init(&hundred, 1, keep_group, &drawn);
	struct svg_bar slow = bar(1, 1000, 1002, SVG_REGION), fast = bar(2, 1002, 1008, SVG_REGION);
	fast.shade = 1;
	put(&fold, 0, slow);
	put(&fold, 0, fast);
	svg_fold_end(&fold);
	assert_true(svg_group_shade(&drawn.groups[0]) == 0.7);
}

/* The sums of all groups, for random bars. */
static void sum(void *arg, const struct svg_group *group)
{
	struct svg_group *all = arg;
	uint64_t total = 0;
	assert_true(group->total > 0 && group->width >= 1);
	assert_true(group->total == 1 || group->is_narrow);
	assert_true(group->x >= hundred.left && group->x + group->width <= hundred.left + hundred.width + 1e-6);
	for (unsigned fate = 0; fate < SVG_FATES; fate++) {
		total += group->count[fate];
		all->count[fate] += group->count[fate];
		all->time_ns[fate] += group->time_ns[fate];
	}
	assert_int_equal(total, group->total);
	all->lost += group->lost;
}

TEST(whatever_is_folded_adds_up)
{
	struct random random = {5};
	struct svg_group drawn = {.total = 0}, given = {.total = 0};
	struct svg_fold fold = svg_fold_init(&hundred, 3, sum, &drawn);
	for (size_t slot = 0; slot < 3; slot++) {
		for (uint64_t at_ns = 1000; at_ns < 2000;) {
			uint64_t until_ns = at_ns + random_below(&random, slot == 2 ? 40 : 6);
			enum svg_fate fate = (enum svg_fate)random_below(&random, SVG_FATES);
			struct svg_bar one = bar(1, at_ns, until_ns, fate);
			one.lost = random_below(&random, 3);
			put(&fold, slot, one);
			given.count[fate]++;
			given.time_ns[fate] += until_ns - at_ns;
			given.lost += one.lost;
			at_ns = until_ns + random_below(&random, 3);
		}
	}
	svg_fold_end(&fold);
	assert_memory_equal(drawn.count, given.count, sizeof drawn.count);
	assert_memory_equal(drawn.time_ns, given.time_ns, sizeof drawn.time_ns);
	assert_int_equal(drawn.lost, given.lost);
}

TEST(points_on_one_pixel_are_one_in_its_middle)
{
	static const uint64_t times_ns[] = {1001, 1009, 1010, 2000};
	struct drawn drawn = {.len = 0};
	struct svg_dot_fold fold = svg_dot_fold_init(&hundred, 2, keep_dots, &drawn);
	for (size_t i = 0; i < 4; i++)
		svg_fold_dot(&fold, 0, &(struct bar_point){.index = i, .time_ns = times_ns[i]});
	svg_fold_dot(&fold, 1, &(struct bar_point){.index = 9, .time_ns = 1001});
	svg_dot_fold_end(&fold);
	assert_int_equal(drawn.len, 4);
	assert_int_equal(drawn.dots[0].total, 2);
	assert_int_equal(drawn.dots[0].first.index, 0);
	assert_int_equal(drawn.dots[0].last.index, 1);
	assert_true(drawn.dots[0].x == 10.5);
	assert_int_equal(drawn.dots[1].total, 1);
	assert_true(drawn.dots[1].x == 11);
	assert_true(drawn.dots[2].x == 110);
	assert_int_equal(drawn.dots[3].first.index, 9);
}

static struct bar_point arrow(size_t from, size_t to, uint64_t from_ns, uint64_t time_ns)
{
	return (struct bar_point){
		.lane = to, .time_ns = time_ns, .is_arrow_end = true, .arrow_lane = from, .arrow_ns = from_ns};
}

TEST(arrows_are_one_if_both_ends_are)
{
	struct drawn *drawn = calloc(1, sizeof *drawn);
	struct svg_arrow_fold fold = {.scale = &hundred, .grain = 1, .draw = keep_arrows, .arg = drawn};
	const struct bar_point ends[] = {arrow(0, 1, 1001, 1001), arrow(1, 0, 1001, 1002), arrow(0, 1, 1009, 1009),
		arrow(0, 1, 500, 1009), arrow(0, 1, 1020, 1029), arrow(0, 1, 1015, 1029)};
	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
		svg_fold_arrow(&fold, &ends[i]);
	svg_arrow_fold_end(&fold);
	assert_int_equal(drawn->len, 4);
	assert_int_equal(drawn->arrows[0].total, 3);
	assert_int_equal(drawn->arrows[1].total, 1);
	assert_int_equal(drawn->arrows[2].total, 1);
	free(drawn);
}

TEST(arrows_of_wider_cells_are_one_with_the_time_of_all)
{
	struct drawn *drawn = calloc(1, sizeof *drawn);
	struct svg_arrow_fold fold = {.scale = &hundred, .grain = 4, .draw = keep_arrows, .arg = drawn};
	const struct bar_point ends[] = {arrow(0, 1, 1001, 1001), arrow(0, 1, 1015, 1015), arrow(0, 1, 1031, 1039),
		arrow(0, 1, 1001, 1041), arrow(0, 1, 1041, 1041)};
	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
		svg_fold_arrow(&fold, &ends[i]);
	svg_arrow_fold_end(&fold);
	assert_int_equal(drawn->len, 3);
	assert_int_equal(drawn->arrows[0].total, 3);
	assert_int_equal(drawn->arrows[0].first.time_ns, 1001);
	assert_int_equal(drawn->arrows[0].last_ns, 1039);
	assert_int_equal(drawn->arrows[1].total, 1);
	assert_int_equal(drawn->arrows[2].total, 1);
	free(drawn);
}

TEST(arrows_for_which_there_is_no_room_are_drawn_all_the_same)
{
	struct drawn *drawn = calloc(1, sizeof *drawn);
	struct svg_arrow_fold fold = {.scale = &hundred, .grain = 1, .draw = keep_arrows, .arg = drawn};
	uint64_t total = 0;
	for (size_t i = 0; i <= SVG_ARROWS_AT_ONCE; i++) {
		struct bar_point end = arrow(i, i + 1, 1001, 1001);
		svg_fold_arrow(&fold, &end);
	}
	svg_arrow_fold_end(&fold);
	for (size_t i = 0; i < drawn->len; i++)
		total += drawn->arrows[i].total;
	assert_int_equal(total, SVG_ARROWS_AT_ONCE + 1);
	free(drawn);
}
