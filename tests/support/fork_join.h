/* SPDX-License-Identifier: MIT
 * Fork-join programs made up at random, and what their workers would leave in a timeline: tasks created, joined,
 * touched and stolen, within waits for others too, with regions around anything. The events are in an order in which
 * they can have come. */
#ifndef FORK_JOIN_H
#define FORK_JOIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "random.h"

enum { FORK_JOIN_WORKERS = 4, FORK_JOIN_TASKS = 24, FORK_JOIN_TAGS = 3, FORK_JOIN_EVENTS = 400 };

struct fork_join_event {
	uint64_t time_ns;
	uint64_t argument;
	uint32_t thread; /* from 1 */
	uint32_t tag;    /* of a region that begins, 1 to FORK_JOIN_TAGS; else 0 */
	uint8_t kind;
	size_t number; /* of the event, in the order in which they came */
};

struct fork_join {
	struct fork_join_event events[FORK_JOIN_EVENTS]; /* first of all, each worker attaches */
	size_t len;
};

/* `moves`: tasks are suspended and resumed by other workers, too. What is not done when there is no more room for
 * events is open at the end. */
void fork_join_make(struct fork_join *program, struct random *random, bool moves);

/* Another order of events of one time: each thread's stay in theirs. */
void fork_join_shuffle(struct fork_join *program, struct random *random);

#endif
