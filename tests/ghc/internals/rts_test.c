/* SPDX-License-Identifier: MIT
 * The RTS is known by its code; values that are locks. */
#include "fake_rts.h"

#include <string.h>

static void code_with_all_instructions_is_known(void **state)
{
	(void)state;
	assert_true(ghc_rts_is_known(fake_atomically_code));
}

static void code_in_which_any_byte_of_them_differs_is_not_known(void **state)
{
	unsigned char code[sizeof fake_atomically_code];
	(void)state;
	for (size_t i = 0; i < 16; i++) {
		memcpy(code, fake_atomically_code, sizeof code);
		code[i] ^= 1;
		assert_int_equal(ghc_rts_is_known(code), i == 0); /* which is none of them */
	}
}

static void a_value_is_a_lock_if_it_is_a_trec(void **state)
{
	struct hs_trec mine = {.info = fake_info(&fake_trec_info)}, other = mine;
	(void)state;
	assert_true(hs_is_lock((uintptr_t)&other, &mine));
	uintptr_t value = fake_value();
	assert_false(hs_is_lock(value, &mine));                                             /* evaluated */
	assert_false(hs_is_lock((uintptr_t)fake_closure(&fake_tvar_info, 0, NULL), &mine)); /* not evaluated */
	fake_objects_free();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(code_with_all_instructions_is_known),
		FIXTURE_TEST(code_in_which_any_byte_of_them_differs_is_not_known),
		FIXTURE_TEST(a_value_is_a_lock_if_it_is_a_trec),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
