/* SPDX-License-Identifier: MIT
 * Pages that are used again. */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "pages.h"
#include "test.h"

enum { SIZE = 20000 };

static bool is_zero(const char *memory, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (memory[i] != 0)
			return false;
	return true;
}

TEST(a_freed_piece_is_used_again_for_its_size_alone_and_zeroed)
{
	char *first = native_pages(SIZE), *other = native_pages(SIZE + 1);
	assert_int_equal((uintptr_t)first % 4096, 0);
	memset(first, 1, SIZE);
	native_pages_free(first, SIZE);
	char *larger = native_pages(SIZE + 1);
	assert_ptr_not_equal(larger, first);
	char *again = native_pages(SIZE);
	assert_ptr_equal(again, first);
	assert_true(is_zero(again, SIZE));
	native_pages_free(again, SIZE);
	native_pages_free(larger, SIZE + 1);
	native_pages_free(other, SIZE + 1);
}

/* Two of them are all that is kept. */
TEST(so_many_of_a_size_are_kept_and_no_more)
{
	enum { KEPT = 1024, SMALL = 4096 };
	static void *pieces[KEPT + 1];
	for (size_t i = 0; i <= KEPT; i++)
		pieces[i] = native_pages(SMALL);
	for (size_t i = 0; i <= KEPT; i++)
		native_pages_free(pieces[i], SMALL);
	for (size_t i = KEPT; i > 0; i--)
		assert_ptr_equal(native_pages(SMALL), pieces[i - 1]);
	for (size_t i = 0; i < KEPT; i++)
		native_pages_free(pieces[i], SMALL);
}

TEST(what_need_not_be_zero_is_as_its_last_owner_has_left_it)
{
	char *first = native_pages_unzeroed(SIZE);
	assert_true(is_zero(first, SIZE)); /* from the kernel */
	memset(first, 1, SIZE);
	native_pages_free(first, SIZE);
	char *again = native_pages_unzeroed(SIZE);
	assert_ptr_equal(again, first);
	assert_int_equal(again[SIZE - 1], 1);
	native_pages_free(again, SIZE);
}

TEST(whatever_the_size_there_is_memory_and_errno_stays)
{
	errno = 7;
	for (size_t size = 1; size < 100; size++) {
		char *memory = native_pages(size);
		assert_non_null(memory);
		memset(memory, 1, size);
		native_pages_free(memory, size);
	}
	native_pages_free(NULL, 1);
	assert_null(native_pages(SIZE_MAX / 2));
	assert_int_equal(errno, 7);
}

/* Fails the test if a piece is another thread's, too. */
static void *take_and_free(void *mark)
{
	for (int i = 0; i < 2000; i++) {
		char *memory = native_pages(SIZE);
		if (!is_zero(memory, 64))
			return NULL;
		memset(memory, (int)(intptr_t)mark, 64);
		for (int k = 0; k < 64; k++)
			if (memory[k] != (char)(intptr_t)mark)
				return NULL;
		native_pages_free(memory, SIZE);
	}
	return mark;
}

TEST(no_piece_is_in_two_hands)
{
	enum { THREADS = 4 };
	pthread_t threads[THREADS];
	for (intptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, take_and_free, (void *)(i + 1)), 0);
	for (intptr_t i = 0; i < THREADS; i++) {
		void *mark;
		pthread_join(threads[i], &mark);
		assert_ptr_equal(mark, (void *)(i + 1));
	}
}
