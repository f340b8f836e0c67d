/* SPDX-License-Identifier: MIT
 *
 * Gathers the data of a report or file: the figures of all threads, and their entries, merged by key. The threads go on
 * meanwhile.
 */
#ifndef STMLOG_GATHER_H
#define STMLOG_GATHER_H

#include "registry.h"

struct gathered {
	struct tb_stack *stack;
	struct stmlog_timelog *log;     /* large enough for all entries: merging evicts no entry */
	struct thread_figures *threads; /* ordered by id; the registry's remainder first, if it has threads */
	size_t threads_len;
	size_t threads_size; /* bytes allocated */
	struct thread_figures total;
	uint64_t threads_dropped; /* number of threads in the remainder */
	uint64_t logs_unread;     /* attached threads whose account or timelog could not be read */
	uint64_t killed_within;   /* attached threads that were killed in the middle of a hook */
	uint64_t refused;         /* attaches that were refused (registry.h) */
	uint64_t misuses;
	uint64_t probe_cost_ns;   /* of all clock readings; 0: not measured */
	uint64_t origins_cost_ns; /* of all origins; 0: none was timed */
	uint64_t wall_ns;
};

/* Reads all threads of the process. `began_ns`: when the session was opened. Returns 0 or -ENOMEM. Call gathered_fini()
 * after success only. Takes the registry's lock. */
int gather(struct gathered *gathered, uint64_t began_ns);

/* Frees the memory that gather() has allocated. */
void gathered_fini(struct gathered *gathered);

#endif
