/* SPDX-License-Identifier: MIT
 *
 * A group: what came together under one key, and its references to the two
 * tracebacks of that key. The element that pending groups and timelogs are made
 * of. A group with count 0 is unused and owns nothing.
 */
#ifndef STMLOG_GROUP_H
#define STMLOG_GROUP_H

#include <stmlog/runtime.h>

#include "cascade.h"
#include "weigh.h"

struct group {
	struct stmlog_entry entry; /* local and remote are owned while count > 0 */
	/* The remote traceback as a copy that is not built yet, and entry.remote TB_UNKNOWN; NULL: entry.remote.
	 * Only of groups that no timelog holds: it is built when one keeps the group. Borrowed. */
	const struct tb_copy *remote_copy;
	/* What the group adds to the variance of its cause's total, and of that of everything: more than its own, where
	 * the same transaction has lost under other keys too. */
	double cause_variance_ns2;
	double all_variance_ns2;
	uint64_t hash;     /* of the key; equal keys have equal hashes */
	uint64_t admitted; /* rank by which it came into its timelog; ties in time go by it */
};

/* One loss as the owner's thread saw it. */
struct event {
	const struct stmlog_loss *loss;
	const struct tb_copy *remote_copy; /* instead of loss->remote, if not NULL */
	struct culprit culprit;            /* of an abort, if known */
	struct weight weight;
	uint64_t lost_ns;
	uint64_t at_ns; /* when it ended */
	uint32_t thread;
};

/* A group of one event. Takes references, and borrows the copy. Whether the culprit came to anything is
 * the caller's to find out. */
void group_init(struct group *group, const struct event *event);

/* Adds an event whose key is the group's. Its transaction has lost `before_ns` under that key before. */
void group_add_event(struct group *group, const struct event *event, uint64_t before_ns);
bool group_has_key(const struct group *group, const struct event *event);

/* Adds the figures of another group of the same key; it keeps its references. */
void group_merge(struct group *group, const struct group *other);
bool group_same_key(const struct group *a, const struct group *b);

/* Releases the tracebacks into `stack` and makes the group unused. */
void group_fini(struct group *group, struct tb_stack *stack);

/* What was lost, as far as that is certain. */
static inline struct stmlog_cost group_cost(const struct group *group)
{
	const struct stmlog_entry *entry = &group->entry;
	return (struct stmlog_cost){
		entry->count, entry->lost_ns - entry->overstated_ns, entry->estimated_ns, entry->variance_ns2};
}

#endif
