/* SPDX-License-Identifier: MIT
 *
 * Leads calls to other functions: changes each call's distance. The functions of a shared library are too far away for
 * that, so each gets a *stub* nearby, which jumps to it.
 */
#ifndef GHC_DETOUR_H
#define GHC_DETOUR_H

#include <stdbool.h>

#include "calls.h"

/* Leads each call of the function `i` to hooks[i]. Returns false, and changes none, if the kernel does not allow it for
 * all. Requires that no other thread runs the code, and that the code is readable, executable and not writable, as it
 * is afterwards. */
bool detour_lead(const struct calls *calls, const void *const *hooks, size_t len);

#endif
