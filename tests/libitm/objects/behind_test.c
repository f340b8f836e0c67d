/* SPDX-License-Identifier: MIT
 * The process has a single arena, whose memory is never freed: the test that uses it up comes last. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdlib.h>

#include <cmocka.h>

#include "behind.h"

static void the_functions_behind_us_are_found(void **state)
{
	(void)state;
	assert_true(behind_is_ready());
	assert_true(behind.calloc != NULL && behind.realloc != NULL && behind.free != NULL);
	assert_true(behind.posix_memalign != NULL && behind.aligned_alloc != NULL && behind.memalign != NULL);
	char *memory = behind.malloc(10);
	assert_non_null(memory);
	behind.free(memory);
}

static void early_memory_is_zeroed_aligned_and_known_again(void **state)
{
	static const size_t alignments[] = {1, 16, 64, 4096};
	(void)state;
	for (size_t i = 0; i < sizeof alignments / sizeof *alignments; i++) {
		char *memory = behind_early(10, alignments[i]);
		assert_non_null(memory);
		assert_int_equal((uintptr_t)memory % alignments[i], 0);
		assert_int_equal(memory[0] | memory[9], 0);
		assert_true(behind_early_left(memory) >= 10);
		memory[0] = memory[9] = 1;
	}
}

static void memory_of_no_bytes_is_known_too(void **state)
{
	(void)state;
	void *one = behind_early(0, 16), *other = behind_early(0, 16);
	assert_ptr_not_equal(one, other);
	assert_int_not_equal(behind_early_left(one), 0);
	assert_int_not_equal(behind_early_left(other), 0);
}

static void other_memory_is_not_early(void **state)
{
	(void)state;
	char *early = behind_early(16, 16), *heap = malloc(16);
	assert_int_equal(behind_early_left(heap), 0);
	assert_int_equal(behind_early_left(NULL), 0);
	assert_int_equal(behind_early_left(early + 16), 0);
	free(heap);
}

static void when_it_is_used_up_there_is_none(void **state)
{
	(void)state;
	errno = 0;
	assert_null(behind_early(SIZE_MAX, 16));
	assert_int_equal(errno, ENOMEM);
	size_t pieces = 0;
	while (behind_early(1000, 16) != NULL)
		pieces++;
	assert_true(pieces > 10 && pieces < 1000);
	assert_null(behind_early(1000, 16));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_functions_behind_us_are_found),
		cmocka_unit_test(early_memory_is_zeroed_aligned_and_known_again),
		cmocka_unit_test(memory_of_no_bytes_is_known_too),
		cmocka_unit_test(other_memory_is_not_early),
		cmocka_unit_test(when_it_is_used_up_there_is_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
