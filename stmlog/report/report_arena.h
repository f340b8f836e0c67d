/* SPDX-License-Identifier: MIT
 * Memory of a report within the process (report_memory.h): an arena, given back as a whole when the report is done or
 * when there is no more. Each thread that makes a report has one of its own. */
#ifndef STMLOG_REPORT_ARENA_H
#define STMLOG_REPORT_ARENA_H

#include "report_memory.h"

/* Calls work(arg), which may take memory by the functions of report_memory.h, and gives all of it back. Returns 0, or
 * -ENOMEM when there was no memory: then `work` was left where it stood, as by longjmp(). Not to be called by `work`.
 */
int report_arena_run(void (*work)(void *arg), void *arg);

#endif
