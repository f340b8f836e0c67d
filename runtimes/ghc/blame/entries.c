/* SPDX-License-Identifier: MIT
 * Notes the entries of an attempt, and compares them with their TVars. */
#include "entries.h"

/* A commit takes some hundred nanoseconds; its OS thread may be off the processor meanwhile. */
#define LOOKS_MOST 2000

void entries_note_all(struct ghc_lane *lane, struct hs_trec *trec)
{
	const uintptr_t info = trec->chunk->info;
	size_t len = 0;
	for (; trec != ghc_rts.no_trec; trec = trec->enclosing)
		for (struct hs_chunk *chunk = trec->chunk; chunk->info == info && len < CHUNKS_MOST;
			chunk = chunk->previous)
			lane->chunks[len++] = chunk;
	lane->chunks_len = len;
}

static bool is_changed(const struct hs_entry *entry, const struct hs_trec *any, struct changed *found)
{
	uintptr_t value = entry->tvar->value;
	found->is_locked = hs_is_lock(value, any);
	found->was_locked = found->is_locked;
	for (int looks = 0; found->is_locked && looks < LOOKS_MOST; looks++) {
		__builtin_ia32_pause();
		value = entry->tvar->value;
		found->is_locked = hs_is_lock(value, any);
	}
	found->tvar = entry->tvar;
	return value != entry->expected;
}

struct changed entries_changed(struct ghc_lane *lane, const struct hs_trec *any)
{
	struct changed found;
	for (size_t i = lane->chunks_len; i-- != 0;)
		for (uint64_t k = 0; k < lane->chunks[i]->len && k < HS_CHUNK_ENTRIES; k++)
			if (is_changed(hs_entry_at(lane->chunks[i], k), any, &found))
				return found;
	return (struct changed){.tvar = NULL};
}
