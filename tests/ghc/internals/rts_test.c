/* SPDX-License-Identifier: MIT
 * The RTS is known by its code; values that are locks; labels of Haskell threads. */
#include "fake_rts.h"

#include <string.h>

static bool is_known(const unsigned char *atomically)
{
	return ghc_rts_is_known(atomically, (const unsigned char *)(uintptr_t)fake_start);
}

TEST_WITH(no_leaks, code_with_all_instructions_is_known)
{
	assert_true(is_known(fake_atomically_code));
}

TEST_WITH(no_leaks, the_capability_may_be_loaded_into_any_register)
{
	unsigned char code[sizeof fake_atomically_code];
	memcpy(code, fake_atomically_code, sizeof code);
	code[3] = 0x7d; /* lea -0x18(%r13),%rdi */
	assert_true(is_known(code));
}

TEST_WITH(no_leaks, code_in_which_any_byte_of_them_differs_is_not_known)
{
	unsigned char code[sizeof fake_atomically_code];
	for (size_t i = 0; i < 16; i++) {
		memcpy(code, fake_atomically_code, sizeof code);
		code[i] ^= 1;
		assert_int_equal(is_known(code), i == 0); /* which is none of them */
	}
}

/* Where the free TRecs are, by the code of stmStartTransaction(); 0: not known. */
static size_t free_trecs_by(const char *instructions, size_t len)
{
	unsigned char start[GHC_START_BYTES];
	memset(start, 0x90, sizeof start);
	memcpy(start + sizeof start - len, instructions, len);
	return ghc_rts_is_known(fake_atomically_code, start) ? ghc_rts.free_trecs : 0;
}
#define FREE_TRECS_BY(instructions) free_trecs_by(instructions, sizeof(instructions) - 1)

TEST_WITH(no_leaks, the_list_of_free_trecs_is_what_is_loaded_first)
{
	assert_int_equal(FREE_TRECS_BY("\x48\x8b\x9f\xb8\x04\x00\x00"), 0x4b8); /* mov 0x4b8(%rdi),%rbx */
	assert_int_equal(FREE_TRECS_BY("\x48\x8b\x9f\x00\x04\x00\x00"), 0x400);
	assert_int_equal(FREE_TRECS_BY("\x48\x8b\x9f\xff\x03\x00\x00"), 0);
	assert_int_equal(FREE_TRECS_BY("\x48\x8b\x9f\x00\x08\x00\x00"), 0);
	assert_int_equal(FREE_TRECS_BY("\x48\x8b\x5f\x68\x90\x04\x00\x00"), 0); /* mov 0x68(%rdi),%rbx */
}

TEST_WITH(no_leaks, the_list_of_free_trecs_is_before_the_tokens_of_a_threaded_rts)
{
	assert_int_equal(FREE_TRECS_BY("\x8b\x87\x60\x05\x00\x00"), 0x558);     /* mov 0x560(%rdi),%eax */
	assert_int_equal(FREE_TRECS_BY("\xe8\x8b\x90\xc0\x04\x00\x00"), 0x4b8); /* mov 0x4c0(%rax),%edx */
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

/* The thread's word for a label is the one behind its TRec. */
static struct hs_label label_of(void *closure)
{
	const struct hs_tso tso = {.label_ = closure};
	ghc_rts.tso_shift = 0; /* the tests above leave another one */
	return hs_label(&tso);
}

static const char *label_with(struct hs_label *label, const char *bytes, size_t len)
{
	static const struct fake_info bytes_info = FAKE_INFO(HS_ARR_WORDS, 0);
	uintptr_t words[1 + 2 * HS_LABEL_WORDS] = {len};
	memcpy(words + 1, bytes, len);
	*label = label_of(fake_closure(&bytes_info, sizeof words / sizeof words[0], words));
	return (const char *)label;
}

TEST_WITH(no_leaks, a_label_is_read_up_to_its_last_byte_but_one)
{
	static const char longest[] = "0123456789012345678901234567890";
	struct hs_label label;
	assert_string_equal(label_with(&label, "", 0), "");
	assert_string_equal(label_with(&label, "a thread", 1), "a");
	assert_string_equal(label_with(&label, longest, 31), longest);
	assert_string_equal(label_with(&label, "01234567890123456789012345678901", 32), longest);
	assert_string_equal(label_with(&label, "012345678901234567890123456789012", 33), longest);
	fake_objects_free();
}

TEST_WITH(no_leaks, a_thread_has_no_label_where_its_word_is_null_or_leads_to_something_else)
{
	struct hs_label none = label_of(NULL), older = label_of(fake_closure(&fake_waiter_info, 0, NULL));
	assert_string_equal((const char *)&none, "");
	assert_string_equal((const char *)&older, "");
	fake_objects_free();
}
