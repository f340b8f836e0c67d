/* SPDX-License-Identifier: MIT
 *
 * The calls by which a program filters its own system calls: prctl() and syscall(), with the arguments for seccomp(2).
 * The filter may kill the program for a call that the program itself never makes. So from then on the agent does not
 * ask the kernel any more how long a thread was off the processor, changes no slots, and the library makes outputs in
 * its own thread (stmlog_before_filter()). calls.S has the hooks.
 *
 * Strict seccomp and prctl(PR_SET_TSC) also forbid the calling thread, and those that it begins, to read the time-stamp
 * counter. Transactions of threads that this may apply to are counted from then on, and not measured.
 */
#ifndef ITM_FILTER_H
#define ITM_FILTER_H

#include <stdint.h>

#include "filtered.h"
#include "leave.h"

/* Looks up the real functions, so that the loader is not needed later. `do_without` is called once for each value of
 * enum itm_forbidden, in the thread that is about to forbid it, and has the hooks do without what is forbidden; NULL:
 * the hooks need none of it. */
void itm_filter_prepare(void (*do_without)(enum itm_forbidden forbidden));

/* For calls.S. Returns the real function to jump to. */
void *itm_filter(uint32_t index, struct itm_call *call);

#endif
