/* SPDX-License-Identifier: MIT
 * Keeps the few culprits of a pending group whose attempts are under way, the oldest first. When the outcome of a
 * culprit's attempt is known, books the aborts that it has caused: they were wasted if it aborted, too. */
#include "cascade.h"

#include <string.h>

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

static size_t find(const struct cascade *cascade, struct culprit culprit)
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
	size_t at = find(cascade, culprit);
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
