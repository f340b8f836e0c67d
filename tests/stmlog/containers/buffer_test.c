/* SPDX-License-Identifier: MIT
 * A buffer: what was appended is there, reserved room does not move, and a failure stays. */
#include "buffer.h"

#include <string.h>

#include "fixture.h"
#include "mem.h"

TEST_WITH(no_leaks, an_empty_buffer_has_no_memory)
{
	OWNED(buffer_fini) struct buffer buffer = {.bytes = NULL};
	buffer_append(&buffer, "", 0);
	assert_null(buffer.bytes);
}

TEST_WITH(no_leaks, what_was_appended_is_there_in_order)
{
	OWNED(buffer_fini) struct buffer buffer = {.bytes = NULL};
	for (uint32_t i = 0; i < 3000; i++)
		buffer_append(&buffer, &i, sizeof i);
	assert_int_equal(buffer.len, 3000 * sizeof(uint32_t));
	for (uint32_t i = 0; i < 3000; i++)
		assert_memory_equal(buffer.bytes + i * sizeof i, &i, sizeof i);
}

TEST_WITH(no_leaks, a_buffer_does_not_move_within_its_reserved_room)
{
	OWNED(buffer_fini) struct buffer buffer = {.bytes = NULL};
	char part[1000] = {0};
	buffer_append(&buffer, "abc", 4);
	buffer_reserve(&buffer, 10004);
	assert_string_equal(buffer.bytes, "abc");
	const char *bytes = buffer.bytes;
	size_t size = buffer.size;
	for (int i = 0; i < 10; i++)
		buffer_append(&buffer, part, sizeof part);
	buffer_reserve(&buffer, 1);
	assert_ptr_equal(buffer.bytes, bytes);
	assert_int_equal(buffer.size, size);
}

TEST_WITH(no_leaks, after_a_failure_nothing_is_appended)
{
	OWNED(buffer_fini) struct buffer buffer = {.bytes = NULL};
	mem_fail_at(1);
	buffer_reserve(&buffer, 10);
	assert_true(buffer.has_failed);
	buffer_append(&buffer, "abc", 4);
	buffer_reserve(&buffer, 10);
	assert_int_equal(buffer.len, 0);
	assert_null(buffer.bytes);
}
