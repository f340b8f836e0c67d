/* SPDX-License-Identifier: MIT
 * The ways out of this process image that run no exit handlers: exec and _exit (exits.S). */
#ifndef ITM_LEAVE_H
#define ITM_LEAVE_H

#include <stdint.h>

/* Looks up the real functions, so that leaving later needs nothing from the loader. */
void itm_leave_prepare(void);

/* The arguments of a call that exits.S has stopped: six registers, then rax, the return
 * address, and what was passed on the stack. */
struct itm_leave_call {
	char *registers[6];
	char *others[2];
	char *stack[];
};

/* Called by exits.S; returns the real function, whose arguments are in `call` then. */
void *itm_leave(uint32_t index, struct itm_leave_call *call);

#endif
