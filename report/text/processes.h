/* SPDX-License-Identifier: MIT
 * The processes of a recording. One without a section PROCESSES is of a single process, which has the sums of all
 * threads. */
#ifndef PROCESSES_H
#define PROCESSES_H

#include <stddef.h>
#include <stdint.h>

#include "records.h"

struct process {
	const char *program; /* borrowed from the recording */
	struct stmlog_process_record record;
};

size_t processes_count(const struct recording *recording);

/* Requires that i < processes_count(). */
struct process processes_at(const struct recording *recording, size_t i);

/* The rows aborted, paused and waiting. */
uint64_t process_lost_ns(const struct process *process);

/* "server x4, helper": the programs of the processes. NULL: all run one. Free it with memory_free(). */
char *processes_programs(const struct recording *recording);

#endif
