/* SPDX-License-Identifier: MIT
 * Numbers of contexts, compared with a plain list of pairs. And tracebacks of other transactions: each call returns the
 * sites that it was given, and the same sites mostly return the same frames. */

#include <sys/mman.h>

#include "random.h"
#include "session_fixture.h"
#include "stacks.h"
#include "test.h"

static struct itm_contexts *contexts;

static void set_up(void)
{
	contexts = itm_contexts_create();
	assert_non_null(contexts);
}

/* No reader is left, so here the tree may be freed. */
static void tear_down(void)
{
	assert_int_equal(munmap(contexts, sizeof *contexts), 0);
}

static const struct test_fixture context_fixture = {set_up, tear_down};

/* The caller of main gets the number 1, the next context 2, and so on. */
static uint32_t chain(size_t len)
{
	uint32_t context = 0;
	for (uintptr_t i = 1; i <= len; i++)
		context = itm_context_child(contexts, context, i);
	return context;
}

TEST_WITH(context_fixture, nothing_is_known_of_nobody)
{
	uintptr_t frames[1];
	assert_int_equal(itm_context_frames(contexts, 0, frames, 1), 0);
	assert_int_equal(itm_contexts_dropped(contexts), 0);
}

TEST_WITH(context_fixture, callers_come_innermost_first)
{
	uintptr_t frames[6] = {0};
	uint32_t context = chain(5);
	assert_int_equal(itm_context_frames(contexts, context, frames, 6), 5);
	for (uintptr_t i = 0; i < 5; i++)
		assert_int_equal(frames[i], 5 - i);
	assert_int_equal(frames[5], 0);
}

TEST_WITH(context_fixture, as_many_callers_are_told_as_there_is_room_for)
{
	static const size_t caps[] = {0, 1, 4, 5, 6};
	uint32_t context = chain(5);
	for (size_t i = 0; i < sizeof caps / sizeof *caps; i++) {
		uintptr_t frames[6] = {0};
		size_t expected = caps[i] < 5 ? caps[i] : 5;
		assert_int_equal(itm_context_frames(contexts, context, frames, caps[i]), expected);
		assert_int_equal(frames[expected], 0);
	}
}

TEST_WITH(context_fixture, the_same_callers_have_the_same_number)
{
	uint32_t context = chain(5), other = itm_context_child(contexts, contexts->nodes[context].parent, 77);
	assert_int_not_equal(other, context);
	assert_int_equal(chain(5), context);
	assert_int_equal(itm_context_child(contexts, contexts->nodes[context].parent, 77), other);
	/* The same address at two depths. */
	assert_int_not_equal(itm_context_child(contexts, context, 77), other);
	assert_int_equal(contexts->len, 1 + 5 + 2);
}

TEST_WITH(context_fixture, a_number_that_was_not_given_names_nobody)
{
	uint32_t context = chain(3);
	uintptr_t frames[4];
	const uint32_t bad[] = {context + 1, ITM_CONTEXTS - 1, ITM_CONTEXTS, UINT16_MAX, UINT32_MAX};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(itm_context_frames(contexts, bad[i], frames, 4), 0);
}

TEST_WITH(context_fixture, when_there_are_no_more_numbers_the_known_ones_are_still_found)
{
	uint32_t last = chain(ITM_CONTEXTS - 1);
	assert_int_equal(last, ITM_CONTEXTS - 1);
	assert_int_equal(itm_contexts_dropped(contexts), 0);
	assert_int_equal(itm_context_child(contexts, last, 1), 0);
	assert_int_equal(itm_context_child(contexts, 0, 2), 0);
	assert_int_equal(itm_contexts_dropped(contexts), 2);
	assert_int_equal(chain(ITM_CONTEXTS - 1), last);
	assert_int_equal(itm_contexts_dropped(contexts), 2);
	static uintptr_t frames[ITM_CONTEXTS];
	assert_int_equal(itm_context_frames(contexts, last, frames, ITM_CONTEXTS), ITM_CONTEXTS - 1);
	assert_int_equal(frames[ITM_CONTEXTS - 2], 1);
}

/* ---- against a list ---- */

enum { PAIRS = 2000 };

static struct pair {
	uint32_t parent;
	uintptr_t address;
} pairs[PAIRS]; /* of context i + 1 */

static uint32_t find_or_add(size_t *len, struct pair pair)
{
	for (size_t i = 0; i < *len; i++)
		if (pairs[i].parent == pair.parent && pairs[i].address == pair.address)
			return (uint32_t)i + 1;
	pairs[(*len)++] = pair;
	return (uint32_t)*len;
}

TEST_WITH(context_fixture, random_callers_are_numbered_as_in_a_plain_list)
{
	struct random random = {2};
	for (size_t len = 0; len < PAIRS;) {
		uint32_t parent = random_below(&random, (uint32_t)len + 1);
		/* Few addresses, so that they come again; some differ only in high bits. */
		uintptr_t address = 1 + random_below(&random, 3) + ((uintptr_t)random_below(&random, 2) << 40);
		uint32_t expected = find_or_add(&len, (struct pair){parent, address});
		assert_int_equal(itm_context_child(contexts, parent, address), expected);
		assert_int_equal(contexts->nodes[expected].parent, parent);
	}
	for (uint32_t context = 1; context <= PAIRS; context++) {
		uintptr_t frames[64];
		size_t len = itm_context_frames(contexts, context, frames, 64);
		uint32_t at = context;
		for (size_t i = 0; i < len; i++, at = pairs[at - 1].parent)
			assert_int_equal(frames[i], pairs[at - 1].address);
		assert_true(at == 0 || len == 64);
	}
}

/* ---- tracebacks of other transactions ---- */

static struct tb_stack *stack;

static void open_session(void)
{
	session_set_up();
	itm_self.thread = stmlog_thread_self();
	stack = stmlog_thread_stack(itm_self.thread);
}

static void close_session(void)
{
	itm_remote_destroy(&itm_self, stack);
	itm_self.thread = NULL;
	session_tear_down(); /* no frame is left */
}

static const struct test_fixture remote_fixture = {open_session, close_session};

static void assert_sites(const struct tb_frame *frame, const struct tb_site *sites, size_t len)
{
	for (size_t i = 0; i < len; i++, frame = tb_down(frame)) {
		assert_true(tb_is_frame(frame));
		assert_int_equal(tb_frame_site(frame).position, sites[i].position);
	}
	assert_ptr_equal(frame, TB_EMPTY);
}

TEST_WITH(remote_fixture, the_same_sites_return_the_same_frames)
{
	const struct tb_site sites[] = {{TB_CODE_ADDRESS, 0x1000}, {TB_CODE_ADDRESS, 0x2000}};
	struct tb_frame *first = itm_remote_traceback(sites, 2);
	assert_sites(first, sites, 2);
	assert_ptr_equal(itm_remote_traceback(sites, 2), first);
}

TEST_WITH(remote_fixture, sites_that_begin_or_end_alike_return_their_own_frames)
{
	const struct tb_site sites[] = {{TB_CODE_ADDRESS, 0}, {TB_CODE_ADDRESS, 0}, {TB_CODE_ADDRESS, 0x2000}};
	for (size_t first = 0; first < 3; first++)
		for (size_t len = 0; len <= 3 - first; len++)
			assert_sites(itm_remote_traceback(sites + first, len), sites + first, len);
}

TEST_WITH(remote_fixture, at_random_each_call_returns_its_sites_and_a_referenced_traceback_outlasts_the_kept_ones)
{
	struct random random = {1};
	const struct tb_site held_sites[] = {{TB_CODE_ADDRESS, 7}};
	struct tb_frame *held = tb_ref(itm_remote_traceback(held_sites, 1));
	for (unsigned step = 0; step < 10000; step++) {
		struct tb_site sites[3];
		size_t len = 1 + random_below(&random, 3);
		for (size_t i = 0; i < len; i++)
			sites[i] = tb_site_make(TB_CODE_ADDRESS, 1 + random_below(&random, 4));
		assert_sites(itm_remote_traceback(sites, len), sites, len);
		assert_true(tb_live_frames() <= 3 * ITM_REMOTES + 1);
	}
	assert_sites(held, held_sites, 1);
	tb_unref(stack, held);
}
