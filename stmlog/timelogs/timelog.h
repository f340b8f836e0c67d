/* SPDX-License-Identifier: MIT
 *
 * A timelog: a fixed number of groups, the costliest ones, and exact totals of all.
 *
 * Invariants, whenever no call is under way:
 *   len <= room <= capacity; groups[0 .. len) are used, each with a key of its own;
 *   the heap holds each of 0 .. len-1 once, by lost_ns, and so does the index, by hash;
 *   sum of totals.by_cause == sum of the groups' (count, lost_ns, estimated_ns) + totals.evicted;
 * the sum of the variances of groups and totals.evicted <= totals.variance_ns2.
 *
 * A timelog does not know threads: the tracebacks of its groups are frames of `stack`,
 * and ledger.h has the rules for readers.
 */
#ifndef STMLOG_TIMELOG_H
#define STMLOG_TIMELOG_H

#include <stmlog/agent.h>
#include <stmlog/read.h>

#include "group.h"
#include "heap.h"
#include "index.h"

/* How many of its latest groups a timelog finds by the addresses of their tracebacks. */
#define TIMELOG_RECENT 8

struct stmlog_timelog {
	struct stmlog_totals totals;
	size_t capacity;
	size_t room; /* groups for which there is memory */
	size_t len;
	struct tb_stack *stack;
	struct group *groups;
	struct heap heap;
	struct index index;
	uint32_t *order;  /* indices of groups by lost_ns; valid if order_version == version */
	uint64_t version; /* counts changes; a cursor of another version is invalid */
	uint64_t order_version;
	uint64_t admissions;             /* source of group.admitted */
	uint32_t last;                   /* slot of the group of timelog_last(); any number before the first */
	uint32_t recent[TIMELOG_RECENT]; /* slots of groups, each at timelog_recent() of its tracebacks; or any numbers
					  */
	size_t size;                     /* bytes allocated for groups, heap, index and order */

	struct stmlog_thread *owner; /* of a timelog that the user has created; NULL: the library's own */
	struct stmlog_timelog *next; /* in a list of its ledger; a timelog is in at most one of them */
	bool is_active;              /* in the ledger's list `active`: the ledger adds losses to it */
};

/* Allocates all memory that the timelog will ever need. Returns NULL and ENOMEM when there is none. */
struct stmlog_timelog *timelog_create(size_t capacity, struct tb_stack *stack);

/* A timelog that allocates nothing before its first group, and then memory for a few, and for more when more come. If
 * there is no memory, it evicts groups as if it were full. timelog_fini() releases the tracebacks and the memory: the
 * timelog is empty, and can be used again. */
void timelog_init(struct stmlog_timelog *log, size_t capacity, struct tb_stack *stack);
void timelog_fini(struct stmlog_timelog *log);

/* Releases the groups' tracebacks and the memory; sets *log to NULL. A NULL *log is allowed. */
void timelog_destroy(struct stmlog_timelog **log);

/* Adds a group, or a single loss, with tracebacks of the timelog's own stack. Adds references to these. */
void timelog_add(struct stmlog_timelog *log, const struct group *group);
void timelog_add_loss(struct stmlog_timelog *log, const struct measured_loss *measured);

/* Adds a loss that has the key of timelog_last(), and no weight. */
void timelog_add_to_last(struct stmlog_timelog *log, const struct measured_loss *measured);

/* Adds the groups and totals of another timelog of the same stack. `other` is sorted, and otherwise unchanged. */
void timelog_merge(struct stmlog_timelog *log, struct stmlog_timelog *other);

/* The same for tracebacks of another stack: clones the tracebacks of groups that are kept. Merging allocates memory. */
void timelog_add_foreign(struct stmlog_timelog *log, const struct group *group);
void timelog_merge_foreign(struct stmlog_timelog *log, struct stmlog_timelog *other);

/* Forgets all groups and totals. */
void timelog_clear(struct stmlog_timelog *log);

/* Returns the group of a rank by lost_ns, 0 for the highest; NULL past the end. Sorts if the timelog has changed. */
const struct group *timelog_at(struct stmlog_timelog *log, size_t rank);

/* Sorts many groups faster than timelog_at(), but allocates memory: not for hooks. */
void timelog_arrange(struct stmlog_timelog *log);

/* Returns the group to which the last loss or group was added; NULL: none. */
static inline const struct group *timelog_last(const struct stmlog_timelog *log)
{
	return log->last < log->len ? &log->groups[log->last] : NULL;
}

/* The place in `recent` of the last group with these tracebacks, or with others at the same place. */
static inline size_t timelog_recent(const struct tb_frame *local, const struct tb_frame *remote)
{
	return ((uintptr_t)local + 3 * (uintptr_t)remote) / sizeof(struct tb_frame) % TIMELOG_RECENT;
}

/* Whether a group of the loss's key is found in `recent`, without reading frames. If so, it becomes timelog_last(). */
static inline bool timelog_select(struct stmlog_timelog *log, const struct stmlog_loss *loss)
{
	uint32_t slot = log->recent[timelog_recent(loss->local, loss->remote)];
	if (slot >= log->len ||
		!group_has_same_frames(&log->groups[slot], &loss->cause, loss->local, loss->remote, NULL))
		return false;
	log->last = slot;
	return true;
}

/* The sum of all losses. */
struct stmlog_cost timelog_recorded(const struct stmlog_timelog *log);

/* Whether the invariants hold. Costs time in proportion to len. */
bool timelog_is_valid(const struct stmlog_timelog *log);

/* Sums up the losses by remote traceback, where the other transaction caused the conflict
 * (stmlog_timelog_aggressors()). Fills in the `max` costliest rows. Returns how many there are. Returns 0 with errno
 * ENOMEM when there is no memory: it allocates some for the time of the call, in proportion to the timelog's groups. */
size_t aggressors_find(struct stmlog_timelog *log, void *rows, size_t max, size_t size);

#endif
