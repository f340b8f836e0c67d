/* SPDX-License-Identifier: MIT
 * Without a C++ library on the system only plain names can be tested. */
#include <stdlib.h>

#include <dlfcn.h>

#include "demangle.h"
#include "test.h"

static void expect(const char *name, const char *readable)
{
	OWNED(owned_free) char *found = demangle(name);
	assert_string_equal(found, readable);
}

TEST(plain_names_stay)
{
	expect("transfer", "transfer");
	expect("", "");
	expect("_start", "_start");
	expect("_Zzz not mangled at all", "_Zzz not mangled at all");
}

TEST(a_transactional_clone_has_the_name_of_its_function)
{
	expect("_ZGTt8transfer", "transfer");
}

TEST(cxx_names_are_readable)
{
	if (dlopen("libstdc++.so.6", RTLD_LAZY) == NULL)
		skip();
	expect("_ZN4bank8transferEii", "bank::transfer(int, int)");
	expect("_ZGTtN4bank8transferEii", "bank::transfer(int, int)");
}
