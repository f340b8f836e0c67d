/* SPDX-License-Identifier: MIT
 * Calls of functions that have the names of libitm's, in this program's own machine code. */
#include "own_inlining.h"

#include "symbols.h"

#define HERE __attribute__((noinline, noclone))

static uint64_t began_at, committed_at, wrote_at, copied_at, wrapped_at, other_at;

/* A function that leaves where it returns to. */
#define RETURNS(name, at)                                              \
	void name(void);                                               \
	HERE void name(void)                                           \
	{                                                              \
		at = (uint64_t)(uintptr_t)__builtin_return_address(0); \
		__asm__ volatile("" ::: "memory");                     \
	}
RETURNS(_ITM_beginTransaction, began_at)
RETURNS(_ITM_commitTransaction, committed_at)
RETURNS(_ITM_WU8, wrote_at)
RETURNS(_ITM_memcpyRtWt, copied_at)
RETURNS(__wrap__ITM_RfWD, wrapped_at)
RETURNS(another, other_at)

static HERE void transact(void)
{
	_ITM_beginTransaction();
	_ITM_WU8();
	_ITM_memcpyRtWt();
	__wrap__ITM_RfWD();
	another();
	_ITM_commitTransaction();
	__asm__ volatile("" ::: "memory");
}

static struct code own_code(void)
{
	struct code code;
	assert_true(code_open(&code, module.elf));
	transact();
	return code;
}

TEST_WITH(inlining_fixture, a_call_is_known_by_the_address_that_it_returns_to)
{
	struct code code = own_code();
	assert_string_equal(itm_call_before(&code, began_at - code.bias), "beginTransaction");
	assert_string_equal(itm_call_before(&code, copied_at - code.bias), "memcpyRtWt");
	assert_string_equal(itm_call_before(&code, wrapped_at - code.bias), "RfWD");
	assert_null(itm_call_before(&code, other_at - code.bias));
	assert_null(itm_call_before(&code, began_at - code.bias + 1));
}

TEST_WITH(inlining_fixture, one_function_begins_and_those_of_one_value_access_it)
{
	struct code code = own_code();
	const struct {
		uint64_t at;
		bool begins, accesses;
	} rows[] = {{began_at, true, false}, {committed_at, false, false}, {wrote_at, false, true},
		{copied_at, false, false}, {wrapped_at, false, true}, {other_at, false, false}};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		assert_int_equal(itm_begins_before(&code, rows[i].at - code.bias), rows[i].begins);
		assert_int_equal(itm_accesses_before(&code, rows[i].at - code.bias), rows[i].accesses);
	}
}

TEST_WITH(inlining_fixture, the_end_of_a_name_tells_the_size)
{
	assert_int_equal(itm_access_size("RU1"), 1);
	assert_int_equal(itm_access_size("WaWU8"), 8);
	assert_int_equal(itm_access_size("RfWF"), 4);
	assert_int_equal(itm_access_size("RM128"), 0);
}
