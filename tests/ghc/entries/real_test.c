/* SPDX-License-Identifier: MIT
 * A function with the instructions of stg_newTVarzh notes in each TVar for whom it makes it. */
#include <string.h>
#include <sys/mman.h>

#include "real.h"
#include "test.h"

#define BYTES 4096

/* void f(struct hs_tvar *tvar, void **top): sets the registers of Haskell code, and continues as stg_newTVarzh does. */
static const unsigned char new_tvar[] = {
	0x55, 0x53, 0x48, 0x89, 0xf8, 0x48, 0x89, 0xf5, /* push %rbp; push %rbx; mov %rdi,%rax; mov %rsi,%rbp */
	0x48, 0xc7, 0x40, 0x18, 0, 0, 0, 0,             /* movq $0,0x18(%rax) */
	0x48, 0x89, 0xc3, 0xff, 0x65, 0,                /* mov %rax,%rbx; jmp *(%rbp) */
};
/* The code that goes on with the TVar. */
static const unsigned char continuation[] = {0x5b, 0x5d, 0xc3}; /* pop %rbx; pop %rbp; ret */

/* Below 2 GiB, or far above. */
static unsigned char *code_with(bool is_low, const unsigned char *bytes, size_t len)
{
	void *wish = is_low ? NULL : (void *)((uintptr_t)1 << 36);
	int flags = is_low ? MAP_32BIT : 0;
	unsigned char *code = mmap(wish, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
	assert_ptr_not_equal(code, MAP_FAILED);
	memcpy(code, bytes, len);
	assert_int_equal(mprotect(code, BYTES, PROT_READ | PROT_EXEC), 0);
	return code;
}

static struct hs_tvar create(unsigned char *function, unsigned char *on)
{
	struct hs_tvar tvar = {.updates = 7};
	void (*f)(struct hs_tvar *, void **);
	void *top = on;
	memcpy(&f, &function, sizeof f);
	f(&tvar, &top);
	return tvar;
}

TEST(a_tvar_has_the_address_of_the_code_for_which_it_was_created)
{
	unsigned char *function = code_with(true, new_tvar, sizeof new_tvar);
	unsigned char *low = code_with(true, continuation, sizeof continuation);
	assert_int_equal(create(function, low).updates, 0);
	assert_true(creation_note(function));
	struct hs_tvar tvar = create(function, low);
	assert_int_equal(hs_created_at(&tvar), (uintptr_t)low);
	tvar.updates += 1000000;
	assert_int_equal(hs_created_at(&tvar), (uintptr_t)low);
}

TEST(of_code_in_a_library_nothing_is_noted)
{
	unsigned char *function = code_with(true, new_tvar, sizeof new_tvar);
	assert_true(creation_note(function));
	assert_int_equal(create(function, code_with(false, continuation, sizeof continuation)).updates, 0);
}

TEST(code_that_is_not_the_programs_own_is_not_looked_at)
{
	struct hs_tvar tvar = {.updates = (uint64_t)0x40000000 << (HS_UPDATES_BITS - 3)};
	assert_int_equal(creation_of(&tvar), 0);
}

TEST(a_function_with_other_instructions_is_left_alone)
{
	unsigned char other[sizeof new_tvar];
	memcpy(other, new_tvar, sizeof other);
	other[11] = 0x20; /* another offset */
	unsigned char *function = code_with(true, other, sizeof other);
	assert_false(creation_note(function));
	assert_memory_equal(function, other, sizeof other);
}
