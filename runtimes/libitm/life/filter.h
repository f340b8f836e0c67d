/* SPDX-License-Identifier: MIT
 *
 * The calls by which a program filters its own system calls: prctl() and syscall(), with the arguments for seccomp(2).
 * The filter may kill the program for a call that the program itself never makes. So from then on the agent does not
 * ask the kernel any more how long a thread was off the processor, changes no slots, and the library makes outputs in
 * its own thread (stmlog_before_filter()). calls.S has the hooks.
 */
#ifndef ITM_FILTER_H
#define ITM_FILTER_H

#include <stdint.h>

#include "leave.h"

/* Looks up the real functions, so that the loader is not needed later. `give_up` is called before a filter is set, and
 * has the hooks make no system calls; NULL: they make none. */
void itm_filter_prepare(void (*give_up)(void));

/* For calls.S. Returns the real function to jump to. */
void *itm_filter(uint32_t index, struct itm_call *call);

#endif
