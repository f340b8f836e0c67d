/* SPDX-License-Identifier: MIT
 * Callers found by frame pointers. An array of words plays the stack, and a function of the test plays the unwinder. */

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "frame_pointers.h"
#include "random.h"
#include "test.h"

enum { WORDS = 256, CAP = 16, FRAMES_MAX = 64 };

/* Places from here on are in functions without frame pointers. */
#define UNFRAMED ((uintptr_t)0x900000)

static uintptr_t *words; /* allocated, so that sanitizers notice reads beyond it */
static struct itm_contexts *contexts;
static struct itm_frames *frames;
static unsigned questions;
static bool is_mute;

/* Plays the unwinder: gives the right answer for each place, up to the first one without a frame pointer. */
static void learn(struct itm_frames *asked, const uintptr_t *slot, const struct itm_frame_pair *frame)
{
	questions++;
	assert_ptr_equal(asked, frames);
	uintptr_t place = *slot;
	while (!is_mute) {
		itm_frames_note_rbp(asked, place, place < UNFRAMED ? ITM_RBP_FRAME : ITM_RBP_OTHER);
		bool is_inside = (const uintptr_t *)frame >= words && (const uintptr_t *)frame + 2 <= words + WORDS;
		if (place >= UNFRAMED || !is_inside || (uintptr_t)frame % sizeof *words != 0)
			return;
		place = frame->return_address;
		if ((uintptr_t)frame >= frame->next)
			return;
		frame = (const struct itm_frame_pair *)frame->next;
	}
}

static struct itm_frames *frames_of(size_t cap)
{
	void *memory = calloc(1, itm_frames_size(cap));
	assert_non_null(memory);
	return itm_frames_init(memory, cap, (uintptr_t)words, (uintptr_t)(words + WORDS), learn);
}

static void set_up(void)
{
	words = calloc(WORDS, sizeof *words);
	contexts = itm_contexts_create();
	questions = 0;
	is_mute = false;
	assert_non_null(words);
	assert_non_null(contexts);
	frames = frames_of(CAP);
}

static void tear_down(void)
{
	free(frames);
	free(words);
	assert_int_equal(munmap(contexts, sizeof *contexts), 0);
}

static const struct test_fixture frames_fixture = {set_up, tear_down};

/* ---- stacks ---- */

/* A frame at words[at], called from `place`; the caller's frame is at words[outer]. */
static void frame_at(size_t at, size_t outer, uintptr_t place)
{
	words[at] = (uintptr_t)(words + outer);
	words[at + 1] = place;
}

/* A stack with begin's return address in words[2], and frames of `gap` words with the return addresses first, first +
 * 1,
 * ... The outermost frame is called from a place without frame pointers. */
static void build(size_t len, size_t gap, uintptr_t site, uintptr_t first)
{
	memset(words, 0, WORDS * sizeof *words);
	words[2] = site;
	for (size_t i = 0; i < len; i++)
		frame_at(4 + i * gap, 4 + (i + 1) * gap, i + 1 < len ? first + i : UNFRAMED);
}

static uint32_t context_at(size_t slot, const void *frame)
{
	return itm_frames_context(frames, contexts, words + slot, frame);
}

static uint32_t context_now(void)
{
	return context_at(2, words + 4);
}

/* ---- whole stacks ---- */

static void expect(uint32_t context, const uintptr_t *expected, size_t len)
{
	uintptr_t found[FRAMES_MAX];
	assert_int_equal(itm_context_frames(contexts, context, found, FRAMES_MAX), len);
	for (size_t i = 0; i < len; i++)
		assert_int_equal(found[i], expected[i]);
}

TEST_WITH(frames_fixture, callers_stand_behind_begins_return_address)
{
	build(4, 4, 0x100, 0x200);
	expect(context_now(), (uintptr_t[]){0x100, 0x200, 0x201, 0x202, UNFRAMED}, 5);
}

TEST_WITH(frames_fixture, the_same_stack_is_recognised)
{
	build(8, 3, 0x100, 0x200);
	uint32_t context = context_now();
	assert_int_equal(questions, 1);
	for (int i = 0; i < 3; i++)
		assert_int_equal(context_now(), context);
	assert_int_equal(questions, 1);
	assert_int_equal(contexts->len, 1 + 9);
}

TEST_WITH(frames_fixture, a_change_anywhere_is_seen)
{
	enum { LEN = 8, GAP = 4 };
	for (size_t changed = 0; changed < LEN; changed++) {
		build(LEN, GAP, 0x100, 0x200);
		uint32_t before = context_now();
		words[4 + changed * GAP + 1] = 0x300 + changed;
		uint32_t after = context_now();
		assert_int_not_equal(before, after);
		words[4 + changed * GAP + 1] = changed + 1 < LEN ? 0x200 + changed : UNFRAMED;
		assert_int_equal(context_now(), before);
	}
	build(LEN, GAP, 0x100, 0x200);
	uint32_t before = context_now();
	words[2] = 0x101;
	assert_int_not_equal(context_now(), before);
}

TEST_WITH(frames_fixture, the_same_callers_in_other_places_are_the_same_context)
{
	build(5, 4, 0x100, 0x200);
	uint32_t context = context_now();
	build(5, 7, 0x100, 0x200);
	assert_int_equal(context_now(), context);
	assert_int_equal(questions, 1);
}

TEST_WITH(frames_fixture, no_more_callers_are_told_than_there_is_room_for)
{
	for (size_t len = CAP - 1; len <= CAP + 1; len++) {
		size_t len_expected = len < CAP ? len : CAP;
		uintptr_t expected[CAP + 1] = {0x100};
		for (size_t i = 0; i < len_expected; i++)
			expected[1 + i] = i + 1 < len ? 0x200 + i : UNFRAMED;
		build(len, 4, 0x100, 0x200);
		expect(context_now(), expected, len_expected + 1);
	}
}

/* ---- where rbp is something else ---- */

TEST_WITH(frames_fixture, nothing_is_told_of_a_transaction_without_frame_pointer)
{
	build(4, 4, UNFRAMED + 1, 0x200);
	assert_int_equal(context_now(), 0);
	assert_int_equal(context_now(), 0);
	assert_int_equal(questions, 1);
	assert_int_equal(contexts->len, 1);
}

TEST_WITH(frames_fixture, the_walk_ends_at_the_first_caller_without_frame_pointer)
{
	build(6, 4, 0x100, 0x200);
	words[4 + 2 * 4 + 1] = UNFRAMED + 7;
	expect(context_now(), (uintptr_t[]){0x100, 0x200, 0x201, UNFRAMED + 7}, 4);
}

TEST_WITH(frames_fixture, what_nobody_can_tell_is_not_followed)
{
	is_mute = true;
	build(4, 4, 0x100, 0x200);
	assert_int_equal(context_now(), 0);
	assert_int_equal(questions, 1);
}

/* Even if the answers are wrong, nothing is read outside of the stack, and the walk ends. */
TEST_WITH(frames_fixture, frames_that_cannot_be_are_not_read)
{
	build(1, 4, 0x100, 0x200);
	const uintptr_t bad[] = {
		0,
		1,
		(uintptr_t)words,
		(uintptr_t)(words + 2),
		(uintptr_t)(words + 4) + 1,
		(uintptr_t)(words + 4) + 4,
		(uintptr_t)(words + WORDS - 1),
		(uintptr_t)(words + WORDS),
		(uintptr_t)(words + WORDS + 1),
		UINTPTR_MAX,
		UINTPTR_MAX - 7,
		(uintptr_t)1 << 63,
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(context_at(2, (const void *)bad[i]), 0);
		/* And as the frame of a caller. */
		build(2, 4, 0x100, 0x200);
		words[4] = bad[i];
		expect(context_now(), (uintptr_t[]){0x100, 0x200}, 2);
	}
	words[4] = (uintptr_t)(words + 4); /* a ring */
	expect(context_now(), (uintptr_t[]){0x100, 0x200}, 2);
	words[WORDS - 2] = 0;
	words[WORDS - 1] = 0x400;
	expect(context_at(2, words + WORDS - 2), (uintptr_t[]){0x100, 0x400}, 2);
}

TEST_WITH(frames_fixture, another_stack_than_the_threads_own_is_left_alone)
{
	uintptr_t other[8] = {0};
	other[0] = 0x100;
	assert_int_equal(itm_frames_context(frames, contexts, other, (const void *)(other + 2)), 0);
	assert_int_equal(itm_frames_context(frames, contexts, words + WORDS, (const void *)(words + 4)), 0);
	assert_int_equal(questions, 0);
}

TEST_WITH(frames_fixture, where_contexts_are_full_none_is_told)
{
	build(3, 4, 0x100, 0x200);
	uint32_t known = context_now();
	for (uint32_t context = known; context != 0;)
		context = itm_context_child(contexts, context, 0x1000);
	assert_int_equal(context_now(), known);
	words[2] = 0x101;
	assert_int_equal(context_now(), 0);
	build(3, 4, 0x100, 0x300);
	assert_int_equal(context_now(), 0);
	build(3, 4, 0x100, 0x200);
	assert_int_equal(context_now(), known);
}

/* ---- what is known of places ---- */

TEST_WITH(frames_fixture, more_places_than_are_kept_are_asked_for_again)
{
	for (uintptr_t place = 1; place <= 4 * ITM_PLACES; place++) {
		bool is_frame = place % 3 != 0;
		itm_frames_note_rbp(frames, place, is_frame ? ITM_RBP_FRAME : ITM_RBP_OTHER);
		assert_int_equal(itm_frames_rbp_at(frames, place), is_frame ? ITM_RBP_FRAME : ITM_RBP_OTHER);
	}
	size_t known = 0;
	for (uintptr_t place = 1; place <= 4 * ITM_PLACES; place++) {
		enum itm_rbp rbp = itm_frames_rbp_at(frames, place);
		known += rbp != ITM_RBP_UNKNOWN;
		assert_true(rbp == ITM_RBP_UNKNOWN || (rbp == ITM_RBP_FRAME) == (place % 3 != 0));
	}
	assert_in_range(known, ITM_PLACES / 2, ITM_PLACES);
}

/* ---- random stacks ---- */

/* Stacks of few places, some without frame pointers, with random words in between. */
static size_t build_random(struct random *random, uintptr_t *expected)
{
	for (size_t i = 0; i < WORDS; i++)
		words[i] = random_below(random, 2) ? 0x200 : (uintptr_t)(words + random_below(random, WORDS));
	size_t len = 0, at = 4;
	expected[len++] = words[2] = 0x100 + random_below(random, 2);
	while (at + 2 <= WORDS && len <= CAP) {
		size_t outer = at + 2 + random_below(random, 6);
		bool is_framed = random_below(random, 12) != 0;
		uintptr_t place = (is_framed ? 0x200 : UNFRAMED) + random_below(random, 3);
		frame_at(at, outer < WORDS - 2 ? outer : 0, place);
		expected[len++] = place;
		at = outer < WORDS - 2 && is_framed ? outer : WORDS;
	}
	return len;
}

TEST_WITH(frames_fixture, random_stacks_are_told_as_they_stand)
{
	struct random random = {5};
	for (int round = 0; round < 3000; round++) {
		uintptr_t expected[CAP + 2];
		size_t len = build_random(&random, expected);
		uint32_t context = context_now();
		if (context == 0) /* full, by and by */
			assert_int_not_equal(itm_contexts_dropped(contexts), 0);
		else
			expect(context, expected, len);
		assert_int_equal(context_now(), context);
	}
	assert_in_range(questions, 1, 500);
}
