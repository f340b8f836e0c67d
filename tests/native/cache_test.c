/* SPDX-License-Identifier: MIT
 * native_cache: finding the traceback of a call stack that was seen before. An array of words stands for the memory of
 * the stack; for random stacks the traceback found is compared with the array. */

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cache.h"
#include "test.h"

#define STEPS 20
#define WAYS 8 /* as in cache.c: how many traces with the same key fit */

static uintptr_t words[80];
static struct tb_stack *stack;
static struct native_cache *cache;

/* In memory that somebody has used before. */
static void set_up(void)
{
	memset(words, 0, sizeof words);
	stack = tb_stack_create(0);
	void *memory = malloc(native_cache_size(STEPS));
	if (memory != NULL)
		memset(memory, 0x5a, native_cache_size(STEPS));
	cache = memory != NULL ? native_cache_init(memory, STEPS) : NULL;
	assert_non_null(stack);
	assert_non_null(cache);
}

static void tear_down(void)
{
	native_cache_clear(cache, stack);
	free(cache);
	tb_stack_destroy(&stack);
	assert_int_equal(tb_live_frames(), 0);
}

static const struct test_fixture fixture = {set_up, tear_down};

/* A stack of `len` return addresses, first, first + 1 ..., one in every `gap`-th word. */
static void write_stack(struct native_step *steps, size_t len, uintptr_t first, size_t gap)
{
	for (size_t i = 0; i < len; i++) {
		words[i * gap] = first + i;
		steps[i] = (struct native_step){&words[i * gap], first + i};
	}
}

static struct tb_frame *frames_of(const struct native_step *steps, size_t len)
{
	struct tb_site sites[STEPS + 1];
	for (size_t i = 0; i < len; i++)
		sites[i] = tb_site_make(TB_CODE_ADDRESS, steps[i].return_address);
	return tb_build(stack, sites, len, TB_EMPTY);
}

static struct native_key key_of(const struct native_step *steps)
{
	return (struct native_key){steps[0], 0};
}

static bool add(const struct native_step *steps, size_t len, uint32_t kind)
{
	struct native_key key = key_of(steps);
	struct tb_frame *frames = frames_of(steps, len);
	bool is_added = native_cache_add(cache, stack, &key, steps, len, frames, kind);
	if (!is_added)
		tb_unref(stack, frames);
	return is_added;
}

static const struct native_trace *find(const struct native_step *steps)
{
	struct native_key key = key_of(steps);
	return native_cache_find(cache, &key);
}

TEST_WITH(fixture, an_empty_cache_finds_nothing)
{
	struct native_step steps[STEPS];
	write_stack(steps, 3, 100, 2);
	assert_null(find(steps));
}

TEST_WITH(fixture, a_stack_that_still_stands_is_found_with_its_frames_and_kind)
{
	struct native_step steps[STEPS];
	write_stack(steps, 3, 100, 2);
	assert_true(add(steps, 3, 5));
	const struct native_trace *found = find(steps);
	assert_non_null(found);
	assert_int_equal(found->kind, 5);
	assert_int_equal(tb_depth(found->frames), 3);
	const struct tb_frame *frame = found->frames;
	for (uintptr_t i = 0; i < 3; i++, frame = tb_down(frame))
		assert_int_equal(tb_frame_site(frame).position, 100 + i);
}

TEST_WITH(fixture, a_stack_of_which_any_slot_changed_is_not_found)
{
	struct native_step steps[STEPS];
	write_stack(steps, STEPS, 100, 2);
	assert_true(add(steps, STEPS, 0));
	for (size_t i = 0; i < STEPS; i++) {
		words[i * 2]++;
		struct native_key key = {{&words[0], words[0]}, 0};
		assert_null(native_cache_find(cache, &key));
		words[i * 2]--;
		assert_non_null(find(steps));
	}
}

TEST_WITH(fixture, the_site_before_the_stack_is_part_of_the_key)
{
	struct native_step steps[STEPS];
	write_stack(steps, 2, 100, 1);
	assert_true(add(steps, 2, 0));
	struct native_key key = key_of(steps);
	key.site = 99;
	assert_null(native_cache_find(cache, &key));
}

TEST_WITH(fixture, what_cannot_be_recognised_later_is_refused)
{
	struct native_step steps[STEPS + 1], other;
	write_stack(steps, STEPS + 1, 100, 1);
	assert_false(add(steps, 0, 0));
	assert_false(add(steps, STEPS + 1, 0));
	assert_true(add(steps, STEPS, 0));
	assert_true(add(steps, 1, 0));
	other = steps[2];
	steps[2] = steps[1]; /* two frames in one slot */
	assert_false(add(steps, 3, 0));
	steps[2] = steps[0]; /* descending */
	assert_false(add(steps, 3, 0));
	steps[2] = other;
	struct native_key key = key_of(steps + 1); /* begins elsewhere than its key */
	struct tb_frame *frames = frames_of(steps, 2);
	assert_false(native_cache_add(cache, stack, &key, steps, 2, frames, 0));
	tb_unref(stack, frames);
}

TEST_WITH(fixture, stacks_with_one_innermost_step_are_kept_side_by_side_and_the_oldest_goes)
{
	struct native_step steps[2] = {{&words[0], 7}, {&words[1], 0}};
	words[0] = 7;
	for (uintptr_t i = 0; i <= WAYS; i++) {
		words[1] = steps[1].return_address = 1000 + i;
		assert_true(add(steps, 2, 0));
	}
	for (uintptr_t i = 0; i <= WAYS; i++) {
		words[1] = 1000 + i;
		const struct native_trace *found = find(steps);
		if (i == 0)
			assert_null(found);
		else
			assert_int_equal(tb_frame_site(tb_down(found->frames)).position, 1000 + i);
	}
}

TEST_WITH(fixture, each_way_of_a_set_takes_short_and_long_stacks_in_turn)
{
	struct native_step steps[STEPS];
	for (size_t i = 0; i < 10 * WAYS; i++) {
		size_t len = i % 3 == 0 ? STEPS : 1 + i % STEPS;
		write_stack(steps, len, 100, 1);
		words[len - 1] = steps[len - 1].return_address = 1000 + i; /* one set, if the first step is another */
		assert_true(add(steps, len, (uint32_t)i));
		assert_int_equal(find(steps)->kind, i);
		assert_int_equal(tb_depth(find(steps)->frames), len);
	}
}

/* ---- memory: there may be thousands of threads ---- */

enum { PAGE = 4096, PAGES = 64 };

/* Puts the cache into fresh memory. */
static void renew(void)
{
	assert_in_range(native_cache_size(STEPS), 8 * PAGE, PAGES * PAGE);
	free(cache);
	void *memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(memory, MAP_FAILED);
	cache = native_cache_init(memory, STEPS);
}

static void drop_renewed(void)
{
	native_cache_clear(cache, stack);
	munmap(cache, PAGES * PAGE);
	cache = NULL;
}

static size_t touched_pages(void)
{
	unsigned char is_there[PAGES];
	size_t touched = 0;
	assert_int_equal(mincore(cache, PAGES * PAGE, is_there), 0);
	for (size_t i = 0; i < PAGES; i++)
		touched += is_there[i] & 1;
	return touched;
}

TEST(clearing_touches_no_page_without_traces)
{
	set_up();
	renew();
	native_cache_clear(cache, stack);
	assert_int_equal(touched_pages(), 1); /* that of the cache's own members */
	drop_renewed();
	tb_stack_destroy(&stack);
}

TEST(traces_of_different_places_lie_side_by_side)
{
	struct native_step steps[STEPS];
	set_up();
	renew();
	for (uintptr_t i = 1; i <= 20; i++) {
		write_stack(steps, 6, 1000 * i, 1);
		assert_true(add(steps, 6, 0));
		assert_non_null(find(steps));
	}
	assert_in_range(touched_pages(), 1, 2); /* as long as stacks are short */
	for (uintptr_t i = 1; i <= 20; i++) {
		write_stack(steps, STEPS, 1000 * i, 1);
		assert_true(add(steps, STEPS, 0));
		assert_non_null(find(steps));
	}
	assert_in_range(touched_pages(), 3, 3 + 20 * (sizeof(struct native_trace) + sizeof steps) / PAGE);
	drop_renewed();
	tb_stack_destroy(&stack);
}

TEST_WITH(fixture, a_cleared_cache_is_empty_and_holds_no_frame)
{
	struct native_step steps[STEPS];
	write_stack(steps, 3, 100, 2);
	assert_true(add(steps, 3, 0));
	native_cache_clear(cache, stack);
	assert_null(find(steps));
	assert_int_equal(tb_live_frames(), 0);
	assert_true(add(steps, 3, 0));
	assert_non_null(find(steps));
}

/* Random stacks of few addresses, so that they often have slots and steps in common. */
static size_t write_random_stack(struct native_step *steps)
{
	size_t len = 1 + (size_t)rand() % STEPS, at = (size_t)rand() % 4;
	for (size_t i = 0; i < len; i++, at += 1 + (size_t)rand() % 3) {
		words[at] = 1 + (uintptr_t)rand() % 3;
		steps[i] = (struct native_step){&words[at], words[at]};
	}
	return len;
}

TEST_WITH(fixture, a_found_trace_is_always_what_the_slots_say)
{
	srand(20240611);
	size_t hits = 0;
	for (int i = 0; i < 20000; i++) {
		struct native_step steps[STEPS];
		size_t len = write_random_stack(steps);
		const struct native_trace *found = find(steps);
		if (found == NULL) {
			assert_true(add(steps, len, 0));
			continue;
		}
		hits++;
		assert_int_equal(tb_depth(found->frames), found->len);
		const struct tb_frame *frame = found->frames;
		for (uint32_t k = 0; k < found->len; k++, frame = tb_down(frame))
			assert_int_equal(tb_frame_site(frame).position, *found->steps[k].slot);
	}
	assert_in_range(hits, 1000, 19999);
}
