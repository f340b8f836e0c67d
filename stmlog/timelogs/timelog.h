/* SPDX-License-Identifier: MIT
 *
 * The fixed number of costliest groups, merged by key, with exact totals.
 *
 * Invariants, whenever no call is under way:
 *   len <= capacity; groups[0 .. len) are used, each with a key of its own;
 *   the heap holds each of 0 .. len-1 once, by lost_ns, and so does the index, by hash;
 *   sum of totals.by_cause == sum of the groups' (count, certain and estimated time) + totals.evicted;
 *   the variances of groups and totals.evicted come to no more than totals.variance_ns2.
 *
 * A timelog does not know threads: its groups' tracebacks are frames of `stack`, and
 * who may touch it when is ledger.h's affair.
 */
#ifndef STMLOG_TIMELOG_H
#define STMLOG_TIMELOG_H

#include <stmlog/runtime.h>

#include "group.h"
#include "heap.h"
#include "index.h"

struct stmlog_timelog {
	struct stmlog_totals totals;
	size_t capacity;
	size_t len;
	enum stmlog_policy policy;
	struct tb_stack *stack;
	struct group *groups;
	struct heap heap;
	struct index index;
	uint32_t *order;  /* groups by time, valid for order_version */
	uint64_t version; /* counts changes; a cursor of another version is void */
	uint64_t order_version;
	uint64_t admissions; /* source of group.admitted */
	size_t size;         /* bytes taken, this struct included */

	struct stmlog_thread *owner; /* NULL: a log of the library's own */
	struct stmlog_timelog *next; /* in the one list that it is in, if any */
	bool is_active;
};

/* Returns NULL and ENOMEM when there is no memory. */
struct stmlog_timelog *timelog_create(size_t capacity, enum stmlog_policy policy, struct tb_stack *stack);

/* Releases the groups' tracebacks and the memory; nulls *log. NULL is no mistake. */
void timelog_destroy(struct stmlog_timelog **log);

/* Adds a group, or a loss by itself, of the log's own stack: takes references of its own. */
void timelog_add(struct stmlog_timelog *log, const struct group *group);
void timelog_add_event(struct stmlog_timelog *log, const struct event *event);

/* Adds all that another log holds: groups, evicted and totals. */
void timelog_merge(struct stmlog_timelog *log, struct stmlog_timelog *other);

/* The same from another stack: clones the tracebacks of groups that are kept. */
void timelog_add_foreign(struct stmlog_timelog *log, const struct group *group);
void timelog_merge_foreign(struct stmlog_timelog *log, struct stmlog_timelog *other);

void timelog_clear(struct stmlog_timelog *log);

/* The group of the given rank by time, highest first; NULL past the end. Sorts when the log has changed. */
const struct group *timelog_at(struct stmlog_timelog *log, size_t rank);

/* Of all causes together. */
struct stmlog_cost timelog_recorded(const struct stmlog_timelog *log);

bool timelog_is_valid(const struct stmlog_timelog *log);

#endif
