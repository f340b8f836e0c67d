/* SPDX-License-Identifier: MIT
 * The ways to leave this process image that run no exit handlers: exec and _exit. calls.S has their hooks. */
#ifndef ITM_LEAVE_H
#define ITM_LEAVE_H

#include <stdbool.h>
#include <stdint.h>

/* Looks up the real functions, so that the loader is not needed when the process leaves. */
void itm_leave_prepare(void);

/* Whether the caller has the agent's memory and is another process; true, too, before the agent is ready. After system
 * calls were filtered: always false. */
bool itm_is_vfork_child(void);

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
