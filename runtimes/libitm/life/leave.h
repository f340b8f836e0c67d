/* SPDX-License-Identifier: MIT
 * The ways to leave this process image that run no exit handlers: exec and _exit. calls.S has their hooks. */
#ifndef ITM_LEAVE_H
#define ITM_LEAVE_H

#include <stdint.h>

/* Looks up the real functions, so that the loader is not needed when the process leaves. */
void itm_leave_prepare(void);

/* The arguments of a call that calls.S has intercepted: six registers, then rax, the return address, and the arguments
 * on the stack. */
struct itm_call {
	char *registers[6];
	char *others[2];
	char *stack[];
};

/* For calls.S. Returns the real function to jump to; may change the arguments in `call`. */
void *itm_leave(uint32_t index, struct itm_call *call);

#endif
