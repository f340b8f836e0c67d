/* SPDX-License-Identifier: MIT */
#include "pending.h"

static struct group *cheapest(struct pending *pending)
{
	struct group *lowest = &pending->groups[0];
	for (size_t i = 1; i < pending->len; i++)
		if (pending->groups[i].entry.lost_ns < lowest->entry.lost_ns)
			lowest = &pending->groups[i];
	return lowest;
}

bool pending_add(struct pending *pending, const struct event *event, struct group *spilled)
{
	for (size_t i = 0; i < pending->len; i++) {
		if (group_has_key(&pending->groups[i], event->loss)) {
			group_add_event(&pending->groups[i], event);
			return false;
		}
	}
	if (pending->len < PENDING_GROUPS) {
		group_begin(&pending->groups[pending->len++], event);
		return false;
	}
	struct group *lowest = cheapest(pending);
	*spilled = *lowest;
	group_begin(lowest, event);
	return true;
}
