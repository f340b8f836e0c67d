/* SPDX-License-Identifier: MIT
 * Memory of a report: zeroed, apart, and given back, also when it is at its end. */
#include <errno.h>
#include <string.h>

#include "mem.h"
#include "random.h"
#include "report_memory.h"
#include "test.h"

static size_t bytes_before;
static volatile size_t steps;

static void check_zero(const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		assert_int_equal(bytes[i], 0);
}

static void take_all_sizes(void *arg)
{
	struct random random = {3};
	char *pieces[200];
	size_t sizes[200];
	(void)arg;
	for (size_t i = 0; i < 200; i++, steps = i) {
		sizes[i] = random_below(&random, 20) == 0 ? random_below(&random, 200000) : random_below(&random, 500);
		pieces[i] = memory_zeroed(sizes[i], 1);
		assert_int_equal((uintptr_t)pieces[i] % 16, 0);
		check_zero(pieces[i], sizes[i]);
		memset(pieces[i], (int)i, sizes[i]);
	}
	for (size_t i = 0; i < 200; i++)
		for (size_t k = 0; k < sizes[i]; k++)
			assert_int_equal((unsigned char)pieces[i][k], i);
	memory_free(pieces[0]);
	memory_free(NULL);
}

TEST(pieces_of_any_size_are_zero_and_apart)
{
	bytes_before = mem_live_bytes();
	assert_int_equal(report_arena_run(take_all_sizes, NULL), 0);
	assert_int_equal(mem_live_bytes(), bytes_before);
}

TEST(whichever_piece_is_missing_all_are_given_back)
{
	size_t failures = 0;
	bytes_before = mem_live_bytes();
	for (size_t n = 1;; n++) {
		mem_fail_at(n);
		steps = 0;
		int error = report_arena_run(take_all_sizes, NULL);
		assert_int_equal(mem_live_bytes(), bytes_before);
		if (mem_fail_left() != 0)
			break;
		failures++;
		assert_int_equal(error, -ENOMEM);
		assert_true(steps < 200);
	}
	mem_fail_at(0);
	assert_true(failures > 3);
}

static void take_too_much(void *arg)
{
	memory_zeroed(SIZE_MAX / *(size_t *)arg, 8);
}

TEST(more_than_there_can_be_is_no_memory)
{
	assert_int_equal(report_arena_run(take_too_much, &(size_t){4}), -ENOMEM);
	assert_int_equal(report_arena_run(take_too_much, &(size_t){9}), -ENOMEM);
}

static void make_texts(void *arg)
{
	(void)arg;
	char *text = memory_text("text");
	assert_string_equal(memory_format("%s %s %04d", text, memory_text(""), 7), "text  0007");
	assert_string_equal(text, "text");
}

TEST(texts_are_copies)
{
	assert_int_equal(report_arena_run(make_texts, NULL), 0);
}
