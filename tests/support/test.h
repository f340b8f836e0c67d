/* SPDX-License-Identifier: MIT
 *
 * A unit test is a claim and what shows that it holds:
 *
 *	TEST(a_heap_of_capacity_0_is_empty)
 *	{
 *		assert_int_equal(heap_len(&empty), 0);
 *	}
 *
 * The tests of a program run in the order of the source, as one group of cmocka; main() is in test_main.c. Includes
 * cmocka.h, and before it the headers that it needs. */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* What is done before and after a test; NULL is nothing. If an assertion fails in set_up() the test has failed: neither
 * it nor tear_down() runs. */
struct test_fixture {
	void (*set_up)(void);
	void (*tear_down)(void);
};

struct test {
	const char *claim;
	int line;
	void (*run)(void);
	const struct test_fixture *fixture; /* or NULL */
	bool (*is_possible)(void);          /* or NULL */
	struct test *next;
};

/* Adds the test, which must stay where it is, to those that test_run() runs in the order of their lines. */
void test_add(struct test *test);

/* Runs all tests, for main(). Returns its exit status: 0 if there are tests and none has failed. */
int test_run(void);

/* A constructor adds the test. Two tests with one name do not compile, since their functions have that name. */
#define TEST_ADDED(name, ...)                                                                           \
	static void name(void);                                                                         \
	__attribute__((constructor)) static void test_add_##name(void)                                  \
	{                                                                                               \
		static struct test test = {.claim = #name, .line = __LINE__, .run = name, __VA_ARGS__}; \
		test_add(&test);                                                                        \
	}                                                                                               \
	static void name(void)

#define TEST(claim) TEST_ADDED(claim, .fixture = NULL)

/* A test with a struct test_fixture around it. */
#define TEST_WITH(with, claim) TEST_ADDED(claim, .fixture = &(with))

/* Two tests with one body: this claim with the first fixture, and one that ends in the suffix with the second. */
#define TEST_TWICE(first, second, suffix, claim) \
	static void claim##_twice(void);         \
	TEST_WITH(first, claim)                  \
	{                                        \
		claim##_twice();                 \
	}                                        \
	TEST_WITH(second, claim##_##suffix)      \
	{                                        \
		claim##_twice();                 \
	}                                        \
	static void claim##_twice(void)

/* A variable that a function ends, which takes a pointer to it, where its scope ends:
 *
 *	OWNED(tb_stack_destroy) struct tb_stack *stack = tb_stack_create(0);
 *
 * To clang a variable that is only ended is unused. */
#define OWNED(end) __attribute__((cleanup(end), unused))

/* For memory of malloc(). */
static inline void owned_free(void *pointer)
{
	free(*(void **)pointer);
}

/* A test that is left out where the function returns false: bool is_possible(void). */
#define TEST_IF(function, claim) TEST_ADDED(claim, .is_possible = function)

/* Has a struct test_fixture around all tests of the program. Once in a program. */
#define GROUP_WITH(fixture) const struct test_fixture *const test_group = &(fixture)

extern const struct test_fixture *const test_group __attribute__((weak));

#endif
