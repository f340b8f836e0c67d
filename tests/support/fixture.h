/* SPDX-License-Identifier: MIT
 *
 * What holds around every test: no frame is live and no memory is taken that was not before.
 * Also brings cmocka with what it wants included first. */
#ifndef TESTS_FIXTURE_H
#define TESTS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct tb_frame;
struct tb_stack;

/* The set-up and tear-down of each test. */
int fixture_setup(void **state);
int fixture_teardown(void **state);

#define FIXTURE_TEST(claim) cmocka_unit_test_setup_teardown(claim, fixture_setup, fixture_teardown)

/* Runs `run` with the first allocation failing, then with the second, and so on until it returns true:
 * it got all that it asked for. Each time nothing may be left behind. `run` has to release what it got. */
void fixture_fail_each(bool (*run)(void *arg), void *arg);

/* Takes every frame that can be had without more memory, and returns them as one traceback, to be released
 * by the caller: until then each frame that `stack` asks for takes an allocation, which may be made to fail. */
struct tb_frame *fixture_hoard(struct tb_stack *stack);

#endif
