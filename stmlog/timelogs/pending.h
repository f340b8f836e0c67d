/* SPDX-License-Identifier: MIT
 *
 * The groups of the running transaction, before they go into timelogs. So many short aborts of one transaction compete
 * for a place in a timelog with their sum, not one by one. A pending group has data that a timelog's group has not: the
 * other thread's traceback as a copy, and the culprits whose attempts are still under way.
 *
 * Invariant: len <= PENDING_GROUPS; items[0 .. len) have different keys. One of them may be unused: the item
 * of pending_in_the_way(), between its group_fini() and pending_add().
 */
#ifndef STMLOG_PENDING_H
#define STMLOG_PENDING_H

#include <stmlog/read.h>

#include "attempts.h"
#include "group.h"

/* ---- wasted aborts ----
 *
 * A culprit makes another attempt abort; if the culprit's own attempt aborts later, the abort that it caused was
 * wasted. A cascade has the culprits of one pending group whose attempts are still under way. The owner of the group
 * checks their outcomes (cascade_decide()) until all are known, or the group goes into timelogs (cascade_close()).
 * Then an abort without a known outcome is *undecided*. */

#define CASCADE_CULPRITS 4

/* Invariant: open[0 .. len) have different culprits. Each has caused `count` aborts, which took `lost_ns` together. */
struct cascade {
	size_t len;
	struct {
		struct culprit culprit;
		uint64_t count;
		uint64_t lost_ns;
	} open[CASCADE_CULPRITS];
};

/* Adds one abort of the entry; does nothing if the culprit is not known. If there are too many culprits, the aborts of
 * the oldest one count as undecided. */
void cascade_add(struct cascade *cascade, struct stmlog_entry *entry, struct culprit culprit, uint64_t lost_ns);

/* Removes the culprits whose outcome is known by now, and adds the aborts of those that aborted to the entry's wasted
 * aborts. Returns whether any culprit is left. */
bool cascade_decide(struct cascade *cascade, struct stmlog_entry *entry);

/* As cascade_decide(), and counts the aborts of all other culprits as undecided. */
void cascade_close(struct cascade *cascade, struct stmlog_entry *entry);

/* ---- pending groups ---- */

/* With one more, the record of a thread takes a page more. */
#define PENDING_GROUPS 7

struct pending_item {
	struct group group;
	uint64_t transaction; /* number of the transaction that has lost last under this key */
	uint64_t running_ns;  /* what that transaction has lost under this key */
	struct cascade cascade;
};

struct pending {
	size_t len;
	struct pending_item *last; /* the item of the last loss; NULL: items were moved or ended since */
	struct pending_item items[PENDING_GROUPS];
};

/* Returns NULL if there is room for the loss. Otherwise returns the item with the lowest loss, which the caller must
 * hand over and end (group_fini()) before pending_add(). */
struct pending_item *pending_in_the_way(struct pending *pending, const struct measured_loss *measured);

/* Adds a loss to the group of its key, which is new if there is none yet. `like`: as for group_init(). Requires:
 * pending_in_the_way() returns NULL, or its item was ended. */
void pending_add(struct pending *pending, const struct measured_loss *measured, const struct group *like);

/* Returns the item of the last loss if this loss has the same key by group_has_same_frames(); otherwise NULL. */
static inline struct pending_item *pending_again(
	struct pending *pending, const struct stmlog_loss *loss, const struct tb_copy *copy)
{
	struct pending_item *item = pending->last;
	return item != NULL && group_has_same_frames(&item->group, &loss->cause, loss->local, loss->remote, copy)
		       ? item
		       : NULL;
}

/* Returns what a transaction has lost under a key after the loss, if it had lost `before_ns` before. A loss without a
 * weight has no variance, and counts neither here nor in weigh(): so the sum of a key is never above that of its cause.
 */
static inline uint64_t pending_running_ns(const struct measured_loss *measured, uint64_t before_ns)
{
	return measured->weight.extra != 0 ? before_ns + measured->lost_ns : before_ns;
}

/* Adds a loss of the item's key. */
static inline void pending_add_to(struct pending_item *item, const struct measured_loss *measured)
{
	/* A group may stay pending longer than the transaction of its first loss. */
	uint64_t before_ns = item->transaction == measured->weight.transaction ? item->running_ns : 0;
	group_add_loss(&item->group, measured, before_ns);
	item->transaction = measured->weight.transaction;
	item->running_ns = pending_running_ns(measured, before_ns);
	if (measured->culprit.attempts != NULL)
		cascade_add(&item->cascade, &item->group.entry, measured->culprit, measured->lost_ns);
}

/* Moves an item to another index; the item there was ended or moved. Does nothing if they are equal. Requires to <=
 * from, and that `from` is the index of an item. */
void pending_move(struct pending *pending, size_t to, size_t from);

#endif
