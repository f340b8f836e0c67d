/* SPDX-License-Identifier: MIT */
#include "own_inlining.h"

#include "tail_call.h"
#include "tail_call_sample.h"

static struct code code;
static uint64_t jumped;

/* The function that the call which returns there leads to, while a function that has the address `below` is on the
 * stack. */
static uint64_t find(const char *returned, void (*below)(void))
{
	assert_true(code_open(&code, module.elf));
	jumped = 1;
	uint64_t found =
		tail_call_find(&code, (uintptr_t)returned - code.bias, (uint64_t)(uintptr_t)below - code.bias, &jumped);
	return found != 0 ? found + code.bias : 0;
}

static void assert_left(const char *returned, void (*function)(void))
{
	assert_int_equal(find(returned, tail_last), (uint64_t)(uintptr_t)function);
}

static void assert_none(const char *returned, void (*below)(void))
{
	assert_int_equal(find(returned, below), 0);
}

TEST_WITH(inlining_fixture, a_function_that_was_called_and_stands_has_left_nothing_out)
{
	assert_none(tail_direct, tail_last);
}

TEST_WITH(inlining_fixture, a_function_that_jumped_to_the_one_that_stands_has_left)
{
	assert_left(tail_once, tail_by_one);
	assert_int_equal(jumped + code.bias, (uintptr_t)tail_jumped);
}

TEST_WITH(inlining_fixture, a_jump_through_a_slot_leads_to_a_function_of_the_file)
{
	assert_left(tail_slot, tail_by_slot);
	assert_int_not_equal(jumped, 0);
}

TEST_WITH(inlining_fixture, of_several_jumps_none_is_known_to_be_the_one)
{
	assert_left(tail_twice, tail_by_two);
	assert_int_equal(jumped, 0);
}

TEST_WITH(inlining_fixture, of_several_functions_that_have_left_the_first_is_known)
{
	assert_left(tail_far, tail_by_other);
	assert_int_equal(jumped, 0);
}

TEST_WITH(inlining_fixture, a_function_that_was_called_has_left_whatever_stands)
{
	assert_int_equal(find(tail_once, tail_other), (uint64_t)(uintptr_t)tail_by_one);
	assert_int_equal(jumped, 0);
}

TEST_WITH(inlining_fixture, parts_of_one_function_have_not_left_it)
{
	assert_none(tail_split, tail_last);
}

TEST_WITH(inlining_fixture, of_other_files_and_of_computed_addresses_nothing_is_known)
{
	assert_none(tail_stub, tail_last);
	assert_none(tail_any, tail_last);
}

TEST_WITH(inlining_fixture, where_no_call_returned_nothing_is_known)
{
	assert_none(tail_direct + 1, tail_last);
	assert_none(tail_once, NULL);
}
