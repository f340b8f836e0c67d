/* SPDX-License-Identifier: MIT
 *
 * Finds the calls of some functions in machine code, without disassembling it: a call is the byte e8 and a distance of
 * 32 bits. Other bytes hardly ever look like a call of one of the functions; where they do, the number of calls is not
 * the expected one. Then leads these calls to other functions: changes each call's distance. The functions of a shared
 * library are too far away for that, so each gets a *stub* nearby, which jumps to it.
 */
#ifndef GHC_DETOUR_H
#define GHC_DETOUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CALLS_MAX 64 /* of all functions together; the RTS has 30 */
#define CALL_BYTES 5

struct calls {
	size_t len; /* more than CALLS_MAX: not all were noted */
	struct call {
		unsigned char *at;
		size_t function; /* index in `functions` */
	} calls[CALLS_MAX];
};

/* Notes the calls in the code, after those that were noted before. */
void calls_find(struct calls *calls, unsigned char *code, size_t size, const uintptr_t *functions, size_t len);

/* How many of the noted calls are of the function. */
size_t calls_of(const struct calls *calls, size_t function);

/* Leads each call of the function `i` to hooks[i]. Returns false, and changes none, if the kernel does not allow it for
 * all. Called while no other thread runs the code, which is readable, executable and not writable, as it is afterwards.
 * Requires that all calls were noted, of functions from 0 to len - 1. */
bool detour_redirect(const struct calls *calls, const void *const *hooks, size_t len);

#endif
