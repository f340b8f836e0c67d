/* SPDX-License-Identifier: MIT
 *
 * The whole process at one look: every thread's figures and all entries merged by
 * key. What a report or a file is made of. Threads go on meanwhile.
 */
#ifndef STMLOG_GATHER_H
#define STMLOG_GATHER_H

#include "registry.h"

struct gathered {
	struct tb_stack *stack;
	struct stmlog_timelog *log;     /* nothing is evicted by the merging itself */
	struct thread_figures *threads; /* ordered by id; the remainder first if there is one */
	size_t threads_len;
	size_t threads_size; /* bytes taken */
	struct thread_figures total;
	uint64_t threads_dropped; /* how many the remainder stands for */
	uint64_t logs_unread;
	uint64_t refused; /* attaches for which there was no memory */
	uint64_t misuses;
	uint64_t probe_cost_ns; /* of all events; 0: not measured */
	uint64_t wall_ns;
};

/* 0 or -ENOMEM. */
int gather(struct gathered *gathered, uint64_t began_ns);

void gathered_drop(struct gathered *gathered);

#endif
