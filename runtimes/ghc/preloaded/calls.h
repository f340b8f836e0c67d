/* SPDX-License-Identifier: MIT
 *
 * Finds the calls of some functions in machine code, without disassembling it: a call is the byte e8 and a distance of
 * 32 bits. Other bytes hardly ever look like a call of one of the functions; where they do, the number of calls is not
 * the expected one.
 */
#ifndef GHC_CALLS_H
#define GHC_CALLS_H

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

#endif
