/* SPDX-License-Identifier: MIT
 * Without a C++ library on the system only plain names can be tested. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <dlfcn.h>

#include "demangle.h"

static void expect(const char *name, const char *readable)
{
	char *found = demangle(name);
	assert_string_equal(found, readable);
	free(found);
}

static void plain_names_stay(void **state)
{
	(void)state;
	expect("transfer", "transfer");
	expect("", "");
	expect("_start", "_start");
	expect("_Zzz not mangled at all", "_Zzz not mangled at all");
}

static void a_transactional_clone_has_the_name_of_its_function(void **state)
{
	(void)state;
	expect("_ZGTt8transfer", "transfer");
}

static void cxx_names_are_readable(void **state)
{
	(void)state;
	if (dlopen("libstdc++.so.6", RTLD_LAZY) == NULL)
		skip();
	expect("_ZN4bank8transferEii", "bank::transfer(int, int)");
	expect("_ZGTtN4bank8transferEii", "bank::transfer(int, int)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_names_stay),
		cmocka_unit_test(a_transactional_clone_has_the_name_of_its_function),
		cmocka_unit_test(cxx_names_are_readable),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
