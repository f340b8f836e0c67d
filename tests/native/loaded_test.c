/* SPDX-License-Identifier: MIT
 * Finding the module of an address, and whether memory can be read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "loaded.h"

static const char constant[64] = "constant";
static char variable[64];

static void a_module_has_the_addresses_of_its_code_and_data_and_no_others(void **state)
{
	(void)state;
	struct native_module module = native_module_find(constant);
	assert_true(native_module_has(&module, (uintptr_t)constant));
	assert_true(native_module_has(&module, (uintptr_t)variable));
	assert_true(native_module_has(&module, module.start));
	assert_true(native_module_has(&module, module.end - 1));
	assert_false(native_module_has(&module, module.start - 1));
	assert_false(native_module_has(&module, module.end));
	assert_false(native_module_has(&module, (uintptr_t)&module));
}

static void another_modules_address_gives_another_module(void **state)
{
	(void)state;
	struct native_module own = native_module_find(constant);
	struct native_module other = native_module_find(stdout);
	assert_int_not_equal(other.start, 0);
	assert_int_not_equal(other.start, own.start);
}

static void an_address_of_no_module_gives_one_without_extent(void **state)
{
	(void)state;
	int local = 0;
	struct native_module module = native_module_find(&local);
	assert_int_equal(module.start, module.end);
	assert_false(native_module_has(&module, (uintptr_t)&local));
	assert_false(native_module_has(&module, 0));
}

static void readable_is_only_what_lies_in_one_segment_as_a_whole(void **state)
{
	(void)state;
	int local = 0;
	assert_true(native_module_is_readable((uintptr_t)constant, sizeof constant));
	assert_true(native_module_is_readable((uintptr_t)variable, 1));
	assert_false(native_module_is_readable((uintptr_t)constant, (size_t)1 << 40));
	assert_false(native_module_is_readable((uintptr_t)&local, 1));
	assert_false(native_module_is_readable(0, 1));
	assert_false(native_module_is_readable(UINTPTR_MAX, 1));
}

static void writable_is_of_that_what_may_be_written(void **state)
{
	(void)state;
	int local = 0;
	assert_true(native_module_is_writable((uintptr_t)variable, sizeof variable));
	assert_false(native_module_is_writable((uintptr_t)constant, 1));
	assert_false(native_module_is_writable((uintptr_t)variable, (size_t)1 << 40));
	assert_false(native_module_is_writable((uintptr_t)&local, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_module_has_the_addresses_of_its_code_and_data_and_no_others),
		cmocka_unit_test(another_modules_address_gives_another_module),
		cmocka_unit_test(an_address_of_no_module_gives_one_without_extent),
		cmocka_unit_test(readable_is_only_what_lies_in_one_segment_as_a_whole),
		cmocka_unit_test(writable_is_of_that_what_may_be_written),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
