/* SPDX-License-Identifier: MIT
 * Finds and adds to pending groups. They are few, so they are searched one by one. */
#include "pending.h"

#include "check.h"

static struct pending_item *find(struct pending *pending, const struct measured_loss *measured)
{
	for (size_t i = 0; i < pending->len; i++)
		if (pending->items[i].group.entry.count != 0 && group_has_key(&pending->items[i].group, measured))
			return &pending->items[i];
	return NULL;
}

struct pending_item *pending_in_the_way(struct pending *pending, const struct measured_loss *measured)
{
	if (pending->len < PENDING_GROUPS || find(pending, measured) != NULL)
		return NULL;
	struct pending_item *lowest = &pending->items[0];
	for (size_t i = 1; i < pending->len; i++)
		if (pending->items[i].group.entry.lost_ns < lowest->group.entry.lost_ns)
			lowest = &pending->items[i];
	return lowest;
}

static struct pending_item *free_item(struct pending *pending)
{
	for (size_t i = 0; i < pending->len; i++)
		if (pending->items[i].group.entry.count == 0)
			return &pending->items[i];
	return &pending->items[pending->len++];
}

static struct pending_item *begin(
	struct pending *pending, const struct measured_loss *measured, const struct group *like)
{
	struct pending_item *item = free_item(pending);
	item->cascade.len = 0;
	group_init(&item->group, measured, like);
	item->transaction = measured->weight.transaction;
	item->running_ns = pending_running_ns(measured, 0);
	cascade_add(&item->cascade, &item->group.entry, measured->culprit, measured->lost_ns);
	return item;
}

#ifdef STMLOG_CHECKS
static bool has_room(const struct pending *pending)
{
	for (size_t i = 0; i < pending->len; i++)
		if (pending->items[i].group.entry.count == 0)
			return true;
	return pending->len < PENDING_GROUPS;
}
#endif

void pending_add(struct pending *pending, const struct measured_loss *measured, const struct group *like)
{
	REQUIRES(find(pending, measured) != NULL || has_room(pending));
	struct pending_item *item = find(pending, measured);
	if (item != NULL)
		pending_add_to(item, measured);
	else
		item = begin(pending, measured, like);
	pending->last = item;
}

void pending_move(struct pending *pending, size_t to, size_t from)
{
	REQUIRES(to <= from && from < pending->len);
	if (to == from)
		return;
	pending->last = NULL;
	pending->items[to] = pending->items[from];
}
