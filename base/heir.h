/* SPDX-License-Identifier: MIT
 *
 * An heir: a process that carries on the work of a companion (companion.h) if the kernel kills it for want of memory.
 * The kernel kills all processes that share the memory of the process it has chosen. The heir has memory of its own,
 * but hardly any: it stops the companion before its end, and reads each page that it needs from the memory that is
 * left. From Linux 5.18 on the kernel takes that memory away 2 seconds later.
 */
#ifndef STMLOG_HEIR_H
#define STMLOG_HEIR_H

#include <stddef.h>
#include <sys/types.h>

#include "companion.h"

/* Makes an heir of the calling companion. If SIGKILL ends both the companion and its host, the heir calls `inherit`:
 * with the same variables at the same addresses, in the state in which the two processes have left them. Thread-local
 * variables are as they are now. If the companion ends otherwise, the heir ends as well. Until then it holds
 * `reserve_bytes` of memory, for the pages that `inherit` reads and for those that it allocates.
 *
 * Returns the heir's process, or -1. The heir ends at once where the kernel forbids it to trace the companion. Costs
 * the program a page fault for each page that it writes to next. */
pid_t heir_start(const struct companion *self, void (*inherit)(void), size_t reserve_bytes);

#endif
