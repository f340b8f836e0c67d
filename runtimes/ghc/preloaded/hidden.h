/* SPDX-License-Identifier: MIT
 *
 * Finds the functions of the RTS in its shared library. Most have no names there: they are hidden, and distributions
 * strip libraries. But what compiled Haskell calls is exported, and that code calls the hidden functions.
 */
#ifndef GHC_HIDDEN_H
#define GHC_HIDDEN_H

#include <stdbool.h>
#include <stdint.h>

#include "hooked.h"
#include "library.h"

/* Sets the addresses, by their PLACE_. `is_debug`: the library is an RTS for -debug. Returns false if a function is not
 * found. What is found may be wrong if the library is not that of a known GHC: then the functions have other numbers of
 * calls (functions.def). */
bool hidden_find(const struct library *library, bool is_debug, uintptr_t addresses[PLACES]);

#endif
