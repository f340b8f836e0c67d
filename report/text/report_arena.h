/* SPDX-License-Identifier: MIT
 * The library's implementation of report_memory.h: an arena, which is freed as a whole when the report is done or
 * memory runs out. Each thread that makes a report has its own. */
#ifndef STMLOG_REPORT_ARENA_H
#define STMLOG_REPORT_ARENA_H

#include "report_memory.h"

/* Calls work(arg), which may allocate with the functions of report_memory.h, and then frees all of this memory. Returns
 * 0, or -ENOMEM if memory ran out: then longjmp() has left `work`. Must not be called within `work`. */
int report_arena_run(void (*work)(void *arg), void *arg);

#endif
