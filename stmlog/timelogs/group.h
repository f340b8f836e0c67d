/* SPDX-License-Identifier: MIT
 *
 * A group: the sum of all losses of one key, with references to the two tracebacks
 * of the key. A key is a cause, a local and a remote traceback. Pending groups and
 * timelogs consist of groups. A group with count 0 is unused and owns nothing.
 */
#ifndef STMLOG_GROUP_H
#define STMLOG_GROUP_H

#include <stmlog/runtime.h>

#include "cascade.h"
#include "weigh.h"

struct group {
	struct stmlog_entry entry; /* local and remote are owned while count > 0 */
	/* The remote traceback as a copy, borrowed; then entry.remote is TB_UNKNOWN. NULL: it is entry.remote. Groups
	 * of a timelog have no copy: a timelog that keeps a group builds frames from the copy. */
	const struct tb_copy *remote_copy;
	/* What the group adds to the variance of its cause's total, and to the variance of the whole loss. If a
	 * transaction has lost under several keys, they are higher than entry.variance_ns2. */
	double cause_variance_ns2;
	double all_variance_ns2;
	uint64_t hash;     /* of the key; equal keys have equal hashes */
	uint64_t admitted; /* number of its admission to its timelog; orders groups with equal lost_ns */
};

/* One loss that a hook has reported, with its time and weight. */
struct measured_loss {
	const struct stmlog_loss *loss;
	const struct tb_copy *remote_copy; /* instead of loss->remote, if not NULL */
	struct culprit culprit;            /* of an abort, if known */
	struct weight weight;
	uint64_t lost_ns;
	uint64_t descheduled_ns; /* off the processor meanwhile */
	struct tb_site site;     /* where the transaction began; position 0: not known */
	uint64_t at_ns;          /* when the attempt, pause or wait ended */
	uint32_t thread;         /* number of the thread that lost */
};

/* Makes a group of one loss. Takes references to the tracebacks, and borrows the copy. Ignores the culprit, which is
 * for the caller's cascade. */
void group_init(struct group *group, const struct measured_loss *measured);

/* Adds a loss. Requires: the loss has the group's key. `before_ns`: the time that the transaction has lost
 * under this key before. */
void group_add_loss(struct group *group, const struct measured_loss *measured, uint64_t before_ns);

/* Whether the loss has the group's key. */
bool group_has_key(const struct group *group, const struct measured_loss *measured);

/* Adds the figures of another group, which keeps its references. Requires: both have the same key. */
void group_merge(struct group *group, const struct group *other);
bool group_same_key(const struct group *a, const struct group *b);

/* Releases the tracebacks into `stack`; then the group is unused. */
void group_fini(struct group *group, struct tb_stack *stack);

/* The loss of a group without its overstatement. */
static inline struct stmlog_cost group_cost(const struct group *group)
{
	const struct stmlog_entry *entry = &group->entry;
	return (struct stmlog_cost){
		entry->count, entry->lost_ns - entry->overstated_ns, entry->estimated_ns, entry->variance_ns2};
}

#endif
