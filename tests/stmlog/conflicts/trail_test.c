/* SPDX-License-Identifier: MIT
 * What an attempt left behind is what another thread finds, for as long as it is there. */
#include "fixture.h"

#include <pthread.h>
#include <string.h>

#include "mem.h"
#include "random.h"
#include "trail.h"

static struct trails *trails;
static struct trail_copy found; /* kept from look to look, as a thread keeps that of its last conflict */
static struct tb_stack *stack;

static void set_up(void)
{
	fixture_set_up();
	stack = tb_stack_create(0);
	trails = mem_alloc(sizeof *trails);
	trails->stack = stack;
	trail_copy_forget(&found);
}

static void tear_down(void)
{
	trail_clear(trails);
	mem_free(trails, sizeof *trails);
	tb_stack_destroy(&stack);
	fixture_tear_down();
}

static const struct test_fixture trail_fixture = {set_up, tear_down};

/* The attempt writes the object at a place of that number, three frames deep. */
static void leave(uint64_t attempt, uintptr_t object, uintptr_t place)
{
	struct tb_site sites[3] = {{9, place}, {9, place + 1}, {9, 0}};
	struct tb_frame *traceback = tb_build(stack, sites, 3, TB_EMPTY);
	trail_leave(trails, attempt, 3, object, traceback);
	tb_unref(stack, traceback);
}

static bool finds(uint64_t attempt, uintptr_t object, uintptr_t place)
{
	uint32_t thread = 0;
	bool is_found = trail_find_remote(trails, attempt, object, &found, &thread);
	const struct tb_copy copy = found.copy;
	if (!is_found) {
		assert_int_equal(copy.len, 0);
		assert_false(copy.is_whole);
		assert_ptr_equal(trail_find_own(trails, attempt, object), TB_UNKNOWN);
		return false;
	}
	assert_int_equal(thread, 3);
	assert_int_equal(copy.len, 3);
	assert_true(copy.is_whole);
	return copy.sites[0].position == place && copy.sites[1].position == place + 1;
}

TEST_WITH(trail_fixture, the_first_of_several_writes_counts)
{
	leave(1, 64, 10);
	leave(1, 64, 20);
	leave(1, 128, 30);
	assert_true(finds(1, 64, 10));
	assert_true(finds(1, 128, 30));
	assert_int_equal(tb_frame_site(trail_find_own(trails, 1, 64)).position, 10);
	assert_false(finds(1, 192, 0));
}

TEST_WITH(trail_fixture, a_second_look_needs_no_second_copy)
{
	leave(1, 64, 10);
	assert_true(finds(1, 64, 10));
	found.copy.sites[0].position = 11; /* shows whether the copy is taken again */
	assert_false(finds(1, 64, 10));
	assert_int_equal(found.copy.sites[0].position, 11);
	leave(1, 128, 20);
	assert_true(finds(1, 128, 20));
	assert_true(finds(1, 64, 10));
	leave(2, 64, 10);
	assert_true(finds(2, 64, 10));
	assert_int_equal(found.attempt, 2);
	assert_false(finds(3, 64, 10));
	assert_null(found.trail);
}

TEST_WITH(trail_fixture, what_one_attempt_left_stays_until_the_second_next_that_leaves_something)
{
	leave(1, 64, 10);
	leave(4, 64, 40); /* 2 and 3 wrote nothing */
	assert_true(finds(1, 64, 10));
	assert_true(finds(4, 64, 40));
	assert_ptr_equal(trail_find_own(trails, 3, 64), TB_UNKNOWN);
	leave(5, 64, 50);
	assert_false(finds(1, 64, 10));
	assert_true(finds(4, 64, 40));
	assert_true(finds(5, 64, 50));
}

TEST_WITH(trail_fixture, nothing_is_found_of_an_attempt_without_a_number_or_a_trail)
{
	assert_false(finds(1, 64, 0));
	leave(1, 64, 10);
	assert_false(finds(2, 64, 0));
	trail_clear(trails);
	assert_false(finds(1, 64, 0));
	assert_int_equal(tb_live_frames(), 0);
}

TEST_WITH(trail_fixture, a_full_trail_counts_what_it_leaves_out_and_still_tells_where_it_became_inevitable)
{
	for (uintptr_t i = 1; i <= STMLOG_WRITES; i++)
		leave(1, 16 * i, i);
	assert_int_equal(AO_load(&trails->unrecorded), 0);
	assert_true(finds(1, 16 * STMLOG_WRITES, STMLOG_WRITES));
	leave(1, 16 * (STMLOG_WRITES + 1), 0);
	assert_int_equal(AO_load(&trails->unrecorded), 1);
	assert_false(finds(1, 16 * (STMLOG_WRITES + 1), 0));
	leave(1, 16, 0); /* known: nothing is left out */
	assert_int_equal(AO_load(&trails->unrecorded), 1);
	leave(1, TRAIL_INEVITABLE, 7);
	assert_int_equal(AO_load(&trails->unrecorded), 1);
	assert_true(finds(1, TRAIL_INEVITABLE, 7));
}

TEST_WITH(trail_fixture, no_number_of_an_object_stands_for_becoming_inevitable)
{
	for (uintptr_t i = 1; i <= 100; i++)
		leave(1, i, i);
	leave(1, UINTPTR_MAX, 101);
	assert_false(finds(1, TRAIL_INEVITABLE, 1));
	leave(1, TRAIL_INEVITABLE, 102);
	assert_true(finds(1, 1, 1));
	assert_true(finds(1, UINTPTR_MAX, 101));
	assert_true(finds(1, TRAIL_INEVITABLE, 102));
}

/* Few objects and many attempts, some of them long, against the two newest attempts' first writes in arrays. */
TEST_WITH(trail_fixture, random_attempts_leave_what_a_plain_table_says)
{
	enum { OBJECTS = 400 };
	static uintptr_t place[2][OBJECTS + 1];
	struct random random = {1};
	for (uint64_t attempt = 1; attempt <= 300; attempt++) {
		uintptr_t *mine = place[attempt % 2];
		unsigned kept = 0;
		memset(mine, 0, sizeof place[0]);
		for (uint32_t n = 1 + random_below(&random, 300); n > 0; n--) {
			uint32_t object = 1 + random_below(&random, OBJECTS);
			leave(attempt, object * 8, n);
			if (mine[object] == 0 && kept < STMLOG_WRITES) {
				mine[object] = n;
				kept++;
			}
		}
		for (uintptr_t object = 1; object <= OBJECTS; object++) {
			assert_int_equal(finds(attempt, object * 8, mine[object]), mine[object] != 0);
			uintptr_t before = place[(attempt + 1) % 2][object];
			if (attempt > 1)
				assert_int_equal(finds(attempt - 1, object * 8, before), before != 0);
		}
	}
}

/* ---- threads ---- */

static volatile AO_t attempt_now;
static volatile AO_t has_ended;

/* Each attempt's writes say which attempt, object and depth it was; frames are recycled at once. */
static void *write_on_and_on(void *unused)
{
	struct random random = {2};
	for (uintptr_t attempt = 1; attempt <= 100000; attempt++) {
		AO_store_release(&attempt_now, attempt);
		for (uintptr_t object = 1; object <= 3; object++) {
			uint32_t depth = 1 + random_below(&random, 5);
			for (uint32_t i = depth; i > 0; i--)
				tb_push(stack, tb_site_make(attempt, object * 100 + i));
			trail_leave(trails, attempt, 3, object * 8, tb_current(stack));
			while (depth-- > 0)
				tb_pop(stack);
		}
	}
	AO_store_release(&has_ended, 1);
	return unused;
}

static uint64_t seen, missed;

static void look(uint64_t attempt)
{
	for (uintptr_t object = 1; object <= 3; object++) {
		static struct trail_copy copies[3];
		uint32_t thread;
		const struct tb_copy *copy = &copies[object - 1].copy;
		if (!trail_find_remote(trails, attempt, object * 8, &copies[object - 1], &thread)) {
			missed++;
			continue;
		}
		seen++;
		assert_true(copy->is_whole && copy->len >= 1 && copy->len <= 5);
		for (uint32_t i = 0; i < copy->len; i++) {
			assert_int_equal(copy->sites[i].code, attempt);
			assert_int_equal(copy->sites[i].position, object * 100 + i + 1);
		}
	}
}

TEST_WITH(trail_fixture, what_a_reader_finds_while_the_owner_goes_on_is_right)
{
	pthread_t owner;
	seen = missed = 0;
	AO_store(&attempt_now, 0);
	AO_store(&has_ended, 0);
	assert_int_equal(pthread_create(&owner, NULL, write_on_and_on, NULL), 0);
	while (AO_load_acquire(&has_ended) == 0) {
		/* The one before is what the owner is about to throw away. */
		uint64_t attempt = AO_load_acquire(&attempt_now);
		if (attempt > 1) {
			look(attempt - 1);
			look(attempt - 1);
		}
	}
	pthread_join(owner, NULL);
	look(AO_load(&attempt_now));
	assert_true(seen >= 3);
	print_message("%lu looks, %lu of them too late\n", seen + missed, missed);
}
