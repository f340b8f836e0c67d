/* SPDX-License-Identifier: MIT
 * The RTS is known by its code; values that are locks. */
#include "fake_rts.h"

#include <string.h>

TEST_WITH(no_leaks, code_with_all_instructions_is_known)
{
	assert_true(ghc_rts_is_known(fake_atomically_code));
}

TEST_WITH(no_leaks, the_capability_may_be_loaded_into_any_register)
{
	unsigned char code[sizeof fake_atomically_code];
	memcpy(code, fake_atomically_code, sizeof code);
	code[3] = 0x7d; /* lea -0x18(%r13),%rdi */
	assert_true(ghc_rts_is_known(code));
}

TEST_WITH(no_leaks, code_in_which_any_byte_of_them_differs_is_not_known)
{
	unsigned char code[sizeof fake_atomically_code];
	for (size_t i = 0; i < 16; i++) {
		memcpy(code, fake_atomically_code, sizeof code);
		code[i] ^= 1;
		assert_int_equal(ghc_rts_is_known(code), i == 0); /* which is none of them */
	}
}

TEST_WITH(no_leaks, a_value_is_a_lock_if_it_is_a_trec)
{
	struct hs_trec mine = {.info = fake_info(&fake_trec_info)}, other = mine;
	assert_true(hs_is_lock((uintptr_t)&other, &mine));
	uintptr_t value = fake_value();
	assert_false(hs_is_lock(value, &mine));                                             /* evaluated */
	assert_false(hs_is_lock((uintptr_t)fake_closure(&fake_tvar_info, 0, NULL), &mine)); /* not evaluated */
	fake_objects_free();
}
