/* SPDX-License-Identifier: MIT
 *
 * The functions of the RTS in a program that was linked with stmlog-ghc.wrap. The linker gets --wrap for each of them:
 * so a call of X goes to __wrap_X (stubs.S), and a reference to __real_X means X.
 */
#include <string.h>

#include "real.h"

/* Only their addresses are used, so all are declared alike. */
#define HOOKED(member, name, calls, debug_calls, from, nth) extern const char __real_##name[];
#define CALLED(member, name) extern const char name[];
#define OPTIONAL(member, name) extern const char name[] __attribute__((weak));
#include "functions.def"

/* In the order of struct ghc_real. */
static const void *const addresses[] = {
#define HOOKED(member, name, calls, debug_calls, from, nth) __real_##name,
#define CALLED(member, name) name,
#define OPTIONAL(member, name) name,
#include "functions.def"
};
_Static_assert(sizeof addresses == sizeof(struct ghc_real), "functions.def has all members");

/* The linker has led the callers to the hooks. */
bool ghc_real_find(void)
{
	memcpy((void *)&ghc_real, addresses, sizeof ghc_real);
	return true;
}
