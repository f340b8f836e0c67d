/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "module.h"
#include "own_module.h"
#include "test.h"

static struct stmlog_module_record record;

static enum module_state state_of(const char *path)
{
	OWNED(module_close) struct module module = {.path = path, .record = &record};
	enum module_state state = module_open(&module);
	assert_int_equal(module_open(&module), state);
	assert_int_equal(module.elf != NULL, state == MODULE_SAME || state == MODULE_UNCHECKED);
	return state;
}

TEST(the_file_that_ran_is_the_same)
{
	record = own_module();
	assert_int_not_equal(record.build_id_len, 0);
	assert_int_equal(state_of(own_module_path()), MODULE_SAME);
}

TEST(a_file_with_another_build_id_has_changed)
{
	record = own_module();
	record.build_id[record.build_id_len - 1] ^= 1;
	assert_int_equal(state_of(own_module_path()), MODULE_CHANGED);
	record = own_module();
	record.build_id_len--;
	assert_int_equal(state_of(own_module_path()), MODULE_CHANGED);
	record.build_id_len = 0;
	assert_int_equal(state_of(own_module_path()), MODULE_CHANGED);
}

TEST(what_is_no_elf_file_is_missing)
{
	record = own_module();
	assert_int_equal(state_of("/nowhere"), MODULE_MISSING);
	assert_int_equal(state_of("/dev/null"), MODULE_MISSING);
	assert_int_equal(state_of("/etc/passwd"), MODULE_MISSING);
	assert_int_equal(state_of("/"), MODULE_MISSING);
	assert_int_equal(state_of("[vdso]"), MODULE_MISSING);
}

TEST(a_path_is_never_taken_as_relative)
{
	record = own_module();
	assert_int_equal(state_of("tests/../build/stmlog"), MODULE_MISSING);
}

TEST(each_state_has_a_name)
{
	for (int i = MODULE_UNTRIED; i <= MODULE_TOO_LARGE; i++)
		assert_non_null(module_state_name((enum module_state)i));
}
