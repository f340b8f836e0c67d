/* SPDX-License-Identifier: MIT
 *
 * The beginning of the process and of its threads, for the agent; calls of the program by which the process image ends,
 * or by which its system calls are filtered; and what its reports need to name addresses. The ends of process and
 * threads are noticed by destructors.
 */
#ifndef ITM_LIFE_H
#define ITM_LIFE_H

#include <stdbool.h>
#include <stdint.h>

#include <stmlog/agent.h>

#include "filter.h"

/* Makes the agent ready, once for the process. */
void itm_ready(void);

/* Attaches the calling thread to the library. Returns false if the thread cannot be recorded. */
bool itm_attach(void);

/* Allocates memory for transactions that are measured closely, unless the calling thread has it. To be called before
 * the first such transaction: a thread that follows others (sample.h) may have none. Requires that the thread is
 * attached. */
void itm_prepare(void);

/* ---- process_calls.c, calls.S ---- */

/* The arguments of a call that calls.S has intercepted: six registers, then rax, the return address, and the arguments
 * on the stack. */
struct itm_call {
	char *registers[6];
	char *others[2];
	char *stack[];
};

/* Looks up the real functions, so that the loader is not needed when the process leaves. */
void itm_leave_prepare(void);

/* Whether the caller has the agent's memory and is another process; true, too, before the agent is ready. After system
 * calls were filtered: always false. */
bool itm_is_vfork_child(void);

/* For calls.S. Returns the real function to jump to; may change the arguments in `call`. */
void *itm_leave(uint32_t index, struct itm_call *call);

/* Looks up the real functions, so that the loader is not needed later. `do_without` is called once for each value of
 * enum native_forbidden, in the thread that is about to forbid it, and has the hooks do without what is forbidden;
 * NULL: the hooks need none of it. */
void itm_filter_prepare(void (*do_without)(enum native_forbidden forbidden));

/* For calls.S. Returns the real function to jump to. */
void *itm_filter(uint32_t index, struct itm_call *call);

/* ---- addresses.c ---- */

/* Has reports look up blocks, if libstmlog-objects.so is loaded. */
void itm_objects_use(struct stmlog_setup *setup);

/* Writes into the recording how many blocks are not known. */
void itm_objects_set_facts(void);

#endif
