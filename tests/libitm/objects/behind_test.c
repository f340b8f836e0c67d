/* SPDX-License-Identifier: MIT
 * The process has a single arena, whose memory is never freed: the test that uses it up comes last. */
#include <errno.h>
#include <stdlib.h>

#include "allocation.h"
#include "test.h"

TEST(the_functions_behind_us_are_found)
{
	assert_true(behind_is_ready());
	assert_true(behind.calloc != NULL && behind.realloc != NULL && behind.free != NULL);
	assert_true(behind.posix_memalign != NULL && behind.aligned_alloc != NULL && behind.memalign != NULL);
	char *memory = behind.malloc(10);
	assert_non_null(memory);
	behind.free(memory);
}

TEST(early_memory_is_zeroed_aligned_and_known_again)
{
	static const size_t alignments[] = {1, 16, 64, 4096};
	for (size_t i = 0; i < sizeof alignments / sizeof *alignments; i++) {
		char *memory = behind_early(10, alignments[i]);
		assert_non_null(memory);
		assert_int_equal((uintptr_t)memory % alignments[i], 0);
		assert_int_equal(memory[0] | memory[9], 0);
		assert_true(behind_early_left(memory) >= 10);
		memory[0] = memory[9] = 1;
	}
}

TEST(memory_of_no_bytes_is_known_too)
{
	void *one = behind_early(0, 16), *other = behind_early(0, 16);
	assert_ptr_not_equal(one, other);
	assert_int_not_equal(behind_early_left(one), 0);
	assert_int_not_equal(behind_early_left(other), 0);
}

TEST(other_memory_is_not_early)
{
	char *early = behind_early(16, 16), *heap = malloc(16);
	assert_int_equal(behind_early_left(heap), 0);
	assert_int_equal(behind_early_left(NULL), 0);
	assert_int_equal(behind_early_left(early + 16), 0);
	free(heap);
}

TEST(when_it_is_used_up_there_is_none)
{
	errno = 0;
	assert_null(behind_early(SIZE_MAX, 16));
	assert_int_equal(errno, ENOMEM);
	size_t pieces = 0;
	while (behind_early(1000, 16) != NULL)
		pieces++;
	assert_true(pieces > 10 && pieces < 1000);
	assert_null(behind_early(1000, 16));
}
