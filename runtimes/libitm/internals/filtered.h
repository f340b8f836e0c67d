/* SPDX-License-Identifier: MIT
 * Whether a filter of system calls may bind the program's threads (filter.h). Then they make none for the agent. */
#ifndef ITM_FILTERED_H
#define ITM_FILTERED_H

#include <stdbool.h>

#include <atomic_ops.h>

/* 1: it may. Relaxed: each thread that is bound by a filter comes from the thread that has stored this. */
extern volatile AO_t itm_filtered __attribute__((visibility("hidden")));

static inline bool itm_is_filtered(void)
{
	return AO_load(&itm_filtered) != 0;
}

#endif
