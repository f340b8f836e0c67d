/* SPDX-License-Identifier: MIT
 * A test leaves nothing behind: no frame is live afterwards, and no memory is in use that was not before. */
#ifndef TESTS_FIXTURE_H
#define TESTS_FIXTURE_H

#include "test.h"

struct tb_frame;
struct tb_stack;

extern const struct test_fixture no_leaks;

/* Its functions, for fixtures that do more. */
void fixture_set_up(void);
void fixture_tear_down(void);

/* Runs `run` with the first allocation failing, then with the second, and so on until it returns true:
 * it got all that it asked for. Each time nothing may be left behind. `run` has to release what it got. */
void fixture_fail_each(bool (*run)(void *arg), void *arg);

/* Takes every frame that can be had without more memory, and returns them as one traceback, to be released
 * by the caller: until then each frame that `stack` asks for takes an allocation, which may be made to fail. */
struct tb_frame *fixture_hoard(struct tb_stack *stack);

#endif
