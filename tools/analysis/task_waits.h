/* SPDX-License-Identifier: MIT
 * The time in which tasks stood still, by kind and word: blocked for an operation, in a touch of another task, or
 * suspended. */
#ifndef TASK_WAITS_H
#define TASK_WAITS_H

#include <stddef.h>
#include <stdint.h>

#include "recording.h"
#include "tasks.h"

enum task_wait_kind { TASK_WAIT_BLOCK, TASK_WAIT_TOUCH, TASK_WAIT_SUSPENSION, TASK_WAIT_KINDS };

extern const char *const task_wait_names[TASK_WAIT_KINDS];

/* The sum of the waits of one kind and word. A touch within a touch counts in both. */
struct task_wait {
	enum task_wait_kind kind;
	const char *word; /* of the event with which the wait begins; "" without one. Borrowed from the recording */
	size_t count;
	size_t abandoned;    /* blocks and touches that ended without a result */
	uint64_t time_ns;    /* up to their ends; without an end on record 0 */
	uint64_t handled_ns; /* of blocks: the time in which threads handled the operations */
};

/* Invariant: descending by time_ns; equal ones by kind, then by word. */
struct task_waits {
	struct task_wait *waits;
	size_t len;
};

/* Requires tasks of this recording without a fault. Words are borrowed from the recording. */
struct task_waits task_waits_of(const struct recording *recording, const struct tasks *tasks);
void task_waits_fini(struct task_waits *waits);

#endif
