/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "counters.h"

static void only_a_libitm_with_a_known_build_id_has_known_counters(void **state)
{
	(void)state;
	static const uint8_t known[20] = {0x52, 0xe5, 0xfc, 0xc0, 0x36, 0x55, 0x10, 0xcf, 0x5f, 0x71, 0x49, 0x8c, 0x42,
		0x99, 0xd3, 0x25, 0x45, 0xa0, 0xeb, 0x20};
	struct native_module module = {.build_id_len = sizeof known};
	memcpy(module.build_id, known, sizeof known);
	assert_true(itm_counters_are_known(&module));
	module.build_id_len--;
	assert_false(itm_counters_are_known(&module));
	module.build_id_len++;
	module.build_id[19] ^= 1;
	assert_false(itm_counters_are_known(&module));
	module.build_id_len = 0;
	assert_false(itm_counters_are_known(&module));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_a_libitm_with_a_known_build_id_has_known_counters),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
