/* SPDX-License-Identifier: MIT
 * Memory is counted, zeroed, and refused on demand. */
#include <errno.h>
#include <string.h>

#include "mem.h"
#include "test.h"

static volatile size_t sizes[] = {0, 1, 63, 64, 65, 4095, 4096, 4097, 1000000};

TEST(it_is_zeroed_and_aligned_and_counted)
{
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		size_t before = mem_live_bytes(), size = sizes[i];
		char *memory = mem_alloc(size);
		assert_non_null(memory);
		assert_int_equal((uintptr_t)memory % 64, 0);
		assert_int_equal(mem_live_bytes(), before + size);
		for (size_t at = 0; at < size; at++)
			assert_int_equal(memory[at], 0);
		memset(memory, 1, size);
		mem_free(memory, size);
		assert_int_equal(mem_live_bytes(), before);
	}
}

TEST(errno_stays_unless_there_is_none)
{
	errno = EDOM;
	void *memory = mem_alloc(100);
	mem_free(memory, 100);
	mem_free(NULL, 100);
	assert_int_equal(errno, EDOM);
	mem_fail_at(1);
	assert_null(mem_alloc(100));
	assert_int_equal(errno, ENOMEM);
}

TEST(the_nth_call_fails_once)
{
	size_t before = mem_live_bytes();
	for (size_t n = 1; n <= 5; n++) {
		mem_fail_at(n);
		for (size_t call = 1; call <= 6; call++) {
			void *memory = mem_alloc(64);
			assert_int_equal(memory == NULL, call == n);
			assert_int_equal(mem_fail_left(), call < n ? n - call : 0);
			mem_free(memory, 64);
		}
	}
	assert_int_equal(mem_live_bytes(), before);
}

TEST(a_table_is_allocated_once_and_a_call_that_fails_leaves_it_to_the_next)
{
	static volatile AO_t table;
	size_t before = mem_live_bytes();
	mem_fail_at(1);
	errno = 77;
	assert_null(mem_table(&table, 4096));
	void *memory = mem_table(&table, 4096);
	assert_int_equal(errno, 77);
	assert_non_null(memory);
	assert_ptr_equal(mem_table(&table, 4096), memory);
	assert_int_equal(mem_live_bytes(), before);
}
