/* SPDX-License-Identifier: MIT
 * Finds and adds to pending groups, which are few, so they are searched one by one. Keeps the few culprits of each
 * whose attempts are under way, the oldest first. When the outcome of a culprit's attempt is known, books the aborts
 * that it has caused: they were wasted if it aborted, too. */
#include "pending.h"

#include <string.h>

#include "check.h"

/* ---- wasted aborts ---- */

/* Books aborts that one culprit has caused, by the outcome of the culprit's attempt. */
static void book(struct stmlog_entry *entry, enum outcome outcome, uint64_t count, uint64_t lost_ns)
{
	if (outcome == OUTCOME_ABORTED) {
		entry->wasted += count;
		entry->wasted_ns += lost_ns;
	} else if (outcome != OUTCOME_COMMITTED) {
		entry->undecided += count;
	}
}

static void remove_at(struct cascade *cascade, size_t at)
{
	cascade->len--;
	memmove(&cascade->open[at], &cascade->open[at + 1], (cascade->len - at) * sizeof cascade->open[0]);
}

static size_t cascade_find(const struct cascade *cascade, struct culprit culprit)
{
	size_t at = 0;
	while (at < cascade->len && (cascade->open[at].culprit.attempts != culprit.attempts ||
					    cascade->open[at].culprit.attempt != culprit.attempt))
		at++;
	return at;
}

static void make_room(struct cascade *cascade, struct stmlog_entry *entry)
{
	cascade_decide(cascade, entry);
	if (cascade->len < CASCADE_CULPRITS)
		return;
	book(entry, OUTCOME_UNKNOWN, cascade->open[0].count, cascade->open[0].lost_ns);
	remove_at(cascade, 0);
}

void cascade_add(struct cascade *cascade, struct stmlog_entry *entry, struct culprit culprit, uint64_t lost_ns)
{
	if (culprit.attempts == NULL)
		return;
	size_t at = cascade_find(cascade, culprit);
	if (at == cascade->len) {
		if (at == CASCADE_CULPRITS)
			make_room(cascade, entry);
		at = cascade->len++;
		cascade->open[at].culprit = culprit;
		cascade->open[at].count = 0;
		cascade->open[at].lost_ns = 0;
	}
	cascade->open[at].count++;
	cascade->open[at].lost_ns += lost_ns;
}

bool cascade_decide(struct cascade *cascade, struct stmlog_entry *entry)
{
	for (size_t at = 0; at < cascade->len;) {
		struct culprit culprit = cascade->open[at].culprit;
		enum outcome outcome = attempts_outcome(culprit.attempts, culprit.attempt);
		if (outcome == OUTCOME_OPEN) {
			at++;
			continue;
		}
		book(entry, outcome, cascade->open[at].count, cascade->open[at].lost_ns);
		remove_at(cascade, at);
	}
	return cascade->len != 0;
}

void cascade_close(struct cascade *cascade, struct stmlog_entry *entry)
{
	cascade_decide(cascade, entry);
	for (size_t at = 0; at < cascade->len; at++)
		book(entry, OUTCOME_UNKNOWN, cascade->open[at].count, cascade->open[at].lost_ns);
	cascade->len = 0;
}

/* ---- pending groups ---- */

static struct pending_item *pending_find(struct pending *pending, const struct measured_loss *measured)
{
	for (size_t i = 0; i < pending->len; i++)
		if (pending->items[i].group.entry.count != 0 && group_has_key(&pending->items[i].group, measured))
			return &pending->items[i];
	return NULL;
}

struct pending_item *pending_in_the_way(struct pending *pending, const struct measured_loss *measured)
{
	if (pending->len < PENDING_GROUPS || pending_find(pending, measured) != NULL)
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

static struct pending_item *pending_begin(
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
	REQUIRES(pending_find(pending, measured) != NULL || has_room(pending));
	struct pending_item *item = pending_find(pending, measured);
	if (item != NULL)
		pending_add_to(item, measured);
	else
		item = pending_begin(pending, measured, like);
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
