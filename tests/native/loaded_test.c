/* SPDX-License-Identifier: MIT
 * Finding the module of an address, and whether memory can be read. */

#include <stdio.h>
#include <string.h>

#include "loaded.h"
#include "test.h"

static const char constant[64] = "constant";
static char variable[64];

TEST(a_module_has_the_addresses_of_its_code_and_data_and_no_others)
{
	struct native_module module = native_module_find(constant);
	assert_true(native_module_has(&module, (uintptr_t)constant));
	assert_true(native_module_has(&module, (uintptr_t)variable));
	assert_true(native_module_has(&module, module.start));
	assert_true(native_module_has(&module, module.end - 1));
	assert_false(native_module_has(&module, module.start - 1));
	assert_false(native_module_has(&module, module.end));
	assert_false(native_module_has(&module, (uintptr_t)&module));
}

TEST(a_module_has_its_writable_data)
{
	struct native_module module = native_module_find(constant);
	assert_int_not_equal(module.data_parts, 0);
	assert_in_range((uintptr_t)variable, module.data, module.data + module.data_size - 1);
	assert_false((uintptr_t)constant - module.data < module.data_size);
}

TEST(another_modules_address_gives_another_module)
{
	struct native_module own = native_module_find(constant);
	struct native_module other = native_module_find(stdout);
	assert_int_not_equal(other.start, 0);
	assert_int_not_equal(other.start, own.start);
}

TEST(an_address_of_no_module_gives_one_without_extent)
{
	int local = 0;
	struct native_module module = native_module_find(&local);
	assert_int_equal(module.start, module.end);
	assert_false(native_module_has(&module, (uintptr_t)&local));
	assert_false(native_module_has(&module, 0));
}

TEST(readable_is_only_what_lies_in_one_segment_as_a_whole)
{
	int local = 0;
	assert_true(native_module_is_readable((uintptr_t)constant, sizeof constant));
	assert_true(native_module_is_readable((uintptr_t)variable, 1));
	assert_false(native_module_is_readable((uintptr_t)constant, (size_t)1 << 40));
	assert_false(native_module_is_readable((uintptr_t)&local, 1));
	assert_false(native_module_is_readable(0, 1));
	assert_false(native_module_is_readable(UINTPTR_MAX, 1));
}

TEST(writable_is_of_that_what_may_be_written)
{
	int local = 0;
	assert_true(native_module_is_writable((uintptr_t)variable, sizeof variable));
	assert_false(native_module_is_writable((uintptr_t)constant, 1));
	assert_false(native_module_is_writable((uintptr_t)variable, (size_t)1 << 40));
	assert_false(native_module_is_writable((uintptr_t)&local, 1));
}
