/* SPDX-License-Identifier: MIT
 *
 * The groups of the running transaction, before any timelog sees them: a storm of
 * short aborts competes with its total, not abort by abort. Beside each group stands
 * what a timelog need not know: the other thread's traceback as long as it is but a copy,
 * and the culprits whose own attempts are not over.
 *
 * Invariant: len <= PENDING_GROUPS; items[0 .. len) are used, each with a key of its own, but for one
 * that was in the way and has been ended; an item's group borrows no copy but the one beside it.
 */
#ifndef STMLOG_PENDING_H
#define STMLOG_PENDING_H

#include "group.h"

#define PENDING_GROUPS 8

struct pending_item {
	struct group group;
	uint64_t transaction; /* that has lost under this key last, and how much */
	uint64_t running_ns;
	struct cascade cascade;
	struct tb_copy remote;
};

struct pending {
	size_t len;
	struct pending_item items[PENDING_GROUPS];
};

/* The cheapest group, if it has to be handed on and ended before the event can be added; else NULL. */
struct pending_item *pending_in_the_way(struct pending *pending, const struct event *event);

/* Adds an event to the group of its key; a new one takes the place of the item that was in the way, if one
 * was. Requires that nothing is in the way any more. */
void pending_add(struct pending *pending, const struct event *event);

/* Moves an item to an index whose item has been ended; none of the same: nothing happens. */
void pending_move(struct pending *pending, size_t to, size_t from);

#endif
