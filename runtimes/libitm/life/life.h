/* SPDX-License-Identifier: MIT
 * The beginning of the process and of its threads, for the agent, and blocks of memory for objects in its reports. The
 * ends of process and threads are noticed by destructors. */
#ifndef ITM_LIFE_H
#define ITM_LIFE_H

#include <stdbool.h>

#include <stmlog/agent.h>

/* Makes the agent ready, once for the process. */
void itm_ready(void);

/* Attaches the calling thread to the library. Returns false if the thread cannot be recorded. */
bool itm_attach(void);

/* Allocates memory for transactions that are measured closely, unless the calling thread has it. To be called before
 * the first such transaction: a thread that follows others (sample.h) may have none. Requires that the thread is
 * attached. */
void itm_prepare(void);

/* ---- blocks.c ---- */

/* Has reports look up blocks, if libstmlog-objects.so is loaded. */
void itm_objects_use(struct stmlog_setup *setup);

/* Writes into the recording how many blocks are not known. */
void itm_objects_set_facts(void);

#endif
