/* SPDX-License-Identifier: MIT
 *
 * Finds the calls of some functions in machine code, without disassembling it: a call is the byte e8 and a distance of
 * 32 bits. In an RTS for -debug compiled Haskell loads the function's address into a register, by a distance or as a
 * number, and calls that. Other bytes hardly ever look like a call of one of the functions; where they do, the number
 * of calls is not the expected one. Then leads these calls to other functions: changes each call's distance or address.
 * The functions of a shared library may be too far away for that, so each gets a *stub* nearby, which jumps to it.
 */
#ifndef GHC_DETOUR_H
#define GHC_DETOUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CALLS_MAX 64     /* of all functions together; the RTS has 31 */
#define OPERAND_BYTES 4  /* the distance or address in a call */
#define OPERAND_BEFORE 2 /* the bytes before it that tell what it is */

struct calls {
	size_t len; /* more than CALLS_MAX: not all were noted */
	struct call {
		unsigned char *operand;
		size_t function; /* index in `functions` */
		bool is_number;  /* the operand is the function's address, and no distance */
	} calls[CALLS_MAX];
};

/* Notes the calls in the code, after those that were noted before. */
void calls_find(struct calls *calls, unsigned char *code, size_t size, const uintptr_t *functions, size_t len);

/* Notes instead the instructions in the code that load the address of a function, after those that were noted before.
 */
void calls_find_loads(struct calls *calls, unsigned char *code, size_t size, const uintptr_t *functions, size_t len);

/* The function that the instruction with this operand calls, or whose address it loads; 0 if it is neither. Reads the
 * OPERAND_BEFORE bytes before the operand, too. */
uintptr_t calls_target(const unsigned char *operand);

/* How many of the noted calls are of the function. */
size_t calls_of(const struct calls *calls, size_t function);

/* Leads each call of the function `i` to hooks[i]. Returns false, and changes none, if the kernel does not allow it for
 * all. Called while no other thread runs the code, which is readable, executable and not writable, as it is afterwards.
 * Requires that all calls were noted, of functions from 0 to len - 1, and that len is at most CALLS_MAX. */
bool detour_redirect(const struct calls *calls, const void *const *hooks, size_t len);

#endif
