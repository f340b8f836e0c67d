/* SPDX-License-Identifier: MIT
 * Publishes a commit. The place of each write is known of measured transactions only. */
#include "publish.h"

#include "trace.h"
#include "walk.h"

/* Writes come in about the order of their records: each is looked for from where the one before was found. */
static void add_sites(struct ring_write *write, const struct ghc_lane *lane, uint32_t *cursor)
{
	const struct records *records = &lane->records;
	for (uint32_t i = 0; i < records->len; i++) {
		const struct record *record = &records->at[(*cursor + i) % records->len];
		if (record->tvar != AO_load(&write->tvar) || !record->is_write)
			continue;
		for (size_t k = 0; k < RING_SITES; k++)
			AO_store(&write->sites[k], record->sites[k]);
		*cursor = (*cursor + i + 1) % records->len;
		return;
	}
}

static uint64_t next_version(const struct ghc_capability *mine, const struct hs_tvar *tvar)
{
	return (ghc_rts.is_threaded ? tvar->updates : AO_load(&mine->ring.head)) + 1;
}

static void add_chunk(
	struct ghc_capability *mine, struct hs_chunk *chunk, const struct ghc_lane *lane, uint32_t *cursor)
{
	for (uint64_t i = 0; i < chunk->len && i < HS_CHUNK_ENTRIES; i++) {
		const struct hs_entry *entry = hs_entry_at(chunk, i);
		if (entry->value == entry->expected)
			continue;
		struct ring_write *write =
			ring_add(&mine->ring, (uintptr_t)entry->tvar, next_version(mine, entry->tvar));
		if (write == NULL)
			return;
		if (lane != NULL)
			add_sites(write, lane, cursor);
	}
}

static void add_callers(struct ring_commit *commit, uintptr_t code, const uintptr_t *callers)
{
	AO_store(&commit->code, code);
	for (size_t i = 0; i < RING_CALLERS; i++)
		AO_store(&commit->callers[i], callers[i]);
}

static void add_transaction(
	const struct ghc_capability *mine, struct ring_commit *commit, struct ghc_lane *lane, uintptr_t *top)
{
	uintptr_t callers[RING_CALLERS];
	if (lane != NULL) {
		trace_callers(lane, mine->hooked->current, top);
		add_callers(commit, lane->code, lane->callers);
		return;
	}
	walk_callers(walk_next(top), callers);
	add_callers(commit, walk_code_of(top), callers);
}

bool publish(struct ghc_capability *mine, struct hs_trec *trec, struct ghc_lane *lane, uintptr_t *top)
{
	const struct ghc_lane *shown = lane != NULL ? lane : mine->lanes[0];
	const uintptr_t info = trec->chunk->info;
	uint32_t cursor = 0;
	struct ring_commit *commit = ring_begin(&mine->ring, (uintptr_t)trec);
	AO_store(&commit->lane, shown != NULL ? stmlog_thread_id(shown->log) : 0);
	for (struct hs_chunk *chunk = trec->chunk; chunk->info == info; chunk = chunk->previous)
		add_chunk(mine, chunk, lane, &cursor);
	if (!ring_has_writes(&mine->ring))
		return false;
	add_transaction(mine, commit, lane, top);
	ring_publish(&mine->ring);
	return true;
}
