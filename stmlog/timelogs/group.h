/* SPDX-License-Identifier: MIT
 *
 * A group: the sum of all losses of one key, with references to the two tracebacks
 * of the key. A key is a cause, a local and a remote traceback. Pending groups and
 * timelogs consist of groups. A group with count 0 is unused and owns nothing.
 */
#ifndef STMLOG_GROUP_H
#define STMLOG_GROUP_H

#include <stmlog/agent.h>
#include <stmlog/read.h>

#include "attempts.h"
#include "check.h"
#include "weigh.h"

/* ---- objects ----
 *
 * The most frequent objects of an entry's losses, in constant space (Misra and Gries, "Finding repeated elements",
 * 1982). An object is a pair: this transaction's object and the other's. There are k = STMLOG_OBJECTS slots. An object
 * of more than 1/(k+1) of the losses is always in a slot, and its count is too low by at most 1/(k+1) of the losses.
 * Slots are in order, most frequent first, unused ones (address 0) last. An object whose count has fallen to 0 stays in
 * its slot until another one needs it: as an example where the losses had very many objects. */

/* Adds one occurrence of the pair. Does nothing if the address is 0. */
void objects_add(struct stmlog_entry *entry, uintptr_t address, uintptr_t other);

/* Adds the objects of another entry. */
void objects_merge(struct stmlog_entry *entry, const struct stmlog_entry *other);

/* ---- groups ---- */

struct group {
	struct stmlog_entry entry; /* local and remote are owned while count > 0 */
	/* The remote traceback as a copy, that of an origin, which never changes and lives as long as the process; then
	 * entry.remote is TB_UNKNOWN. NULL: entry.remote is the remote traceback. Groups of a timelog have no copy: a
	 * timelog that keeps a group builds frames from the copy. */
	const struct tb_copy *remote_copy;
	/* The variance that the group adds to its cause's total, and to the whole loss. If a transaction has lost under
	 * several keys, both are higher than entry.variance_ns2. */
	double cause_variance_ns2;
	double all_variance_ns2;
	uint64_t hash;     /* of the key; equal keys have equal hashes */
	uint64_t admitted; /* number of its admission to its timelog; orders groups with equal lost_ns */
};

/* One loss that a hook has reported, with its time and weight. */
struct measured_loss {
	const struct stmlog_loss *loss;
	const struct tb_copy *remote_copy; /* of an origin; instead of loss->remote, if not NULL */
	struct culprit culprit;            /* of an abort, if known */
	struct weight weight;
	uint64_t lost_ns;
	uint64_t descheduled_ns; /* off the processor meanwhile */
	struct tb_site site;     /* where the transaction began; position 0: not known */
	uint64_t at_ns;          /* when the attempt, pause or wait ended */
	uint32_t thread;         /* number of the thread that lost */
};

/* Makes a group of one loss. Adds references to the tracebacks. Ignores the culprit: the caller
 * adds it to its cascade. `like`: a group that may have the same key, so that its hash need not be computed again;
 * NULL: none. */
void group_init(struct group *group, const struct measured_loss *measured, const struct group *like);

/* Its owner was killed, perhaps while it added a loss: then some figures have the loss, and others have not. Lowers
 * those that are too high for the others. Returns whether the group counts any loss. */
bool group_mend(struct group *group);

/* Whether the loss has the group's key. */
bool group_has_key(const struct group *group, const struct measured_loss *measured);

/* Whether the group has this key, found without reading frames: false if equal tracebacks have different frames, or
 * different copies. Mostly true if a transaction loses under the same key again. `copy`: as measured_loss.remote_copy.
 */
static inline bool group_has_same_frames(const struct group *group, const struct stmlog_cause *cause,
	const struct tb_frame *local, const struct tb_frame *remote, const struct tb_copy *copy)
{
	const struct stmlog_entry *entry = &group->entry;
	/* Reason and contention are not compared one after the other: gcc would load both as one word, and that load
	 * would wait for the hook's store of one of them, because the store cannot be forwarded to a wider load. */
	if (entry->cause.reason != cause->reason || entry->cause.detail != cause->detail || entry->local != local ||
		entry->cause.contention != cause->contention || group->remote_copy != copy)
		return false;
	return copy != NULL || entry->remote == remote;
}

static inline void group_add_overlap(struct stmlog_entry *entry, enum stmlog_overlap overlap)
{
	entry->false_conflicts += overlap == STMLOG_OVERLAP_STRIPE || overlap == STMLOG_OVERLAP_ALIAS;
	entry->false_aliases += overlap == STMLOG_OVERLAP_ALIAS;
}

/* Adds a loss to the estimates and variances. For losses of a transaction with a weight. `before_ns`: as for
 * group_add_loss(). */
void group_add_weighted(struct group *group, const struct measured_loss *measured, uint64_t before_ns);

/* Adds a loss. Requires: the loss has the group's key. `before_ns`: the time that the transaction has lost
 * under this key before. */
static inline void group_add_loss(struct group *group, const struct measured_loss *measured, uint64_t before_ns)
{
	struct stmlog_entry *entry = &group->entry;
	const struct stmlog_loss *loss = measured->loss;
	REQUIRES(group_has_key(group, measured));
	entry->count++;
	entry->lost_ns += measured->lost_ns;
	entry->descheduled_ns += measured->descheduled_ns;
	entry->certain += loss->grade == STMLOG_GRADE_CERTAIN;
	if (STMLOG_UNLIKELY(loss->overlap != STMLOG_OVERLAP_UNKNOWN))
		group_add_overlap(entry, loss->overlap);
	entry->last_ns = measured->at_ns;
	if (loss->grade < entry->grade)
		entry->grade = loss->grade;
	if (measured->lost_ns < entry->shortest_ns)
		entry->shortest_ns = measured->lost_ns;
	if (measured->lost_ns > entry->longest_ns || entry->count == 1) {
		entry->longest_ns = measured->lost_ns;
		entry->local_thread = measured->thread;
		entry->remote_thread = loss->remote_thread;
		entry->green = loss->green;
		entry->remote_green = loss->remote_green;
	}
	if (loss->object != 0)
		objects_add(entry, loss->object, loss->other_object);
	if (STMLOG_LIKELY(measured->weight.extra == 0))
		entry->estimated_ns += (double)(int64_t)measured->lost_ns; /* signed: one instruction */
	else
		group_add_weighted(group, measured, before_ns);
}

/* Adds the figures of another group, which keeps its references. Requires: both have the same key. */
void group_merge(struct group *group, const struct group *other);
bool group_same_key(const struct group *a, const struct group *b);

/* Releases the tracebacks into `stack`, and leaves the group unused. */
void group_fini(struct group *group, struct tb_stack *stack);

/* The loss of a group. */
static inline struct stmlog_cost group_cost(const struct group *group)
{
	const struct stmlog_entry *entry = &group->entry;
	return (struct stmlog_cost){entry->count, entry->lost_ns, entry->estimated_ns, entry->variance_ns2};
}

#endif
