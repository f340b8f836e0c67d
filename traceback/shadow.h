/* SPDX-License-Identifier: MIT
 *
 * The walker that the tests call between the steps of a shadow stack. */
#ifndef TRACEBACK_SHADOW_H
#define TRACEBACK_SHADOW_H

#include <stdbool.h>

#include <stmlog/traceback.h>

/* Walks the stack and its free list and checks the invariants that traceback.h states. */
bool shadow_is_valid(const struct tb_stack *stack);

#endif
