/* SPDX-License-Identifier: MIT
 *
 * Calls of the program that calls.S intercepts: those that leave this process image and run no exit handlers, exec and
 * _exit (leave.c); and those by which the program filters its own system calls (filter.c).
 */
#ifndef ITM_CALLS_H
#define ITM_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "filter.h"

/* The arguments of a call that calls.S has intercepted: six registers, then rax, the return address, and the arguments
 * on the stack. */
struct itm_call {
	char *registers[6];
	char *others[2];
	char *stack[];
};

/* ---- leave.c ---- */

/* Looks up the real functions, so that the loader is not needed when the process leaves. */
void itm_leave_prepare(void);

/* Whether the caller has the agent's memory and is another process; true, too, before the agent is ready. After system
 * calls were filtered: always false. */
bool itm_is_vfork_child(void);

/* For calls.S. Returns the real function to jump to; may change the arguments in `call`. */
void *itm_leave(uint32_t index, struct itm_call *call);

/* ---- filter.c ---- */

/* Looks up the real functions, so that the loader is not needed later. `do_without` is called once for each value of
 * enum native_forbidden, in the thread that is about to forbid it, and has the hooks do without what is forbidden;
 * NULL: the hooks need none of it. */
void itm_filter_prepare(void (*do_without)(enum native_forbidden forbidden));

/* For calls.S. Returns the real function to jump to. */
void *itm_filter(uint32_t index, struct itm_call *call);

#endif
