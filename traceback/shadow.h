/* SPDX-License-Identifier: MIT
 *
 * The check of a shadow stack's invariants, for tests and for builds that check what functions require. */
#ifndef TRACEBACK_SHADOW_H
#define TRACEBACK_SHADOW_H

#include <stdbool.h>

#include <stmlog/traceback.h>

/* Whether the invariants of struct tb_stack (traceback.h) hold. Walks all its frames. */
bool shadow_is_valid(const struct tb_stack *stack);

#endif
