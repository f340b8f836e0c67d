/* SPDX-License-Identifier: MIT
 *
 * The functions of functions.def, numbered in its order, which is that of struct ghc_real: PLACE_ of all, and HOOK_,
 * the same numbers, of those with hooks. The numbers below NEEDED are of those that each RTS has.
 */
#ifndef GHC_HOOKED_H
#define GHC_HOOKED_H

enum {
#define HOOKED(member, name, calls, debug_calls, from, nth) HOOK_##member,
#include "functions.def"
	HOOKS
};

enum {
#define HOOKED(member, name, calls, debug_calls, from, nth) PLACE_##member,
#define CALLED(member, name) PLACE_##member,
#define OPTIONAL(member, name) PLACE_##member,
#include "functions.def"
	PLACES
};

enum {
#define HOOKED(member, name, calls, debug_calls, from, nth) NEEDED_##member,
#define CALLED(member, name) NEEDED_##member,
#include "functions.def"
	NEEDED
};

#endif
