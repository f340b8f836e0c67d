/* SPDX-License-Identifier: MIT
 * Notes the entries of an attempt, and compares them with their TVars. */
#include "entries.h"

#include "xorshift.h"

/* How often a locked TVar is looked at. A commit takes some hundred nanoseconds; its OS thread may be off the processor
 * meanwhile. */
#define LOOKS_MAX 2000

void entries_note_all(struct ghc_lane *lane, struct hs_trec *trec)
{
	const uintptr_t info = trec->chunk->info;
	size_t len = 0;
	for (; trec != ghc_rts.no_trec; trec = trec->enclosing)
		for (struct hs_chunk *chunk = trec->chunk; chunk->info == info && len < CHUNKS_MAX;
			chunk = chunk->previous)
			lane->chunks[len++] = chunk;
	lane->chunks_len = len;
}

size_t entries_len(const struct ghc_lane *lane)
{
	size_t len = 0;
	for (size_t i = 0; i < lane->chunks_len; i++)
		len += lane->chunks[i]->len;
	return len;
}

/* The version is read first: so it belongs to the value, unless that shows another one. While the RTS puts the
 * transaction to sleep, the TRec itself has locked the TVar. */
static uint64_t version_of(const struct hs_entry *entry, const struct hs_trec *trec)
{
	uint64_t version = entry->tvar->updates;
	uintptr_t value = entry->tvar->value;
	return value == entry->expected || value == (uintptr_t)trec ? version : ENTRIES_NO_VERSION;
}

void entries_keep_versions(struct hs_trec *trec)
{
	REQUIRES(ghc_rts.is_threaded);
	const uintptr_t info = trec->chunk->info;
	for (struct hs_chunk *chunk = trec->chunk; chunk->info == info; chunk = chunk->previous)
		for (uint64_t i = 0; i < chunk->len && i < HS_CHUNK_ENTRIES; i++) {
			struct hs_entry *entry = hs_entry_at(chunk, i);
			*hs_entry_updates(entry) = version_of(entry, trec);
		}
}

/* Whether the next changed TVar replaces the one that was chosen of `before` earlier ones. The chances make each of
 * them equally likely in the end. */
static bool replaces_choice(struct ghc_lane *lane, uint64_t before)
{
	return (native_random(&lane->random) >> 32) % (before + 1) == 0;
}

/* One of the TVars that have another value and are not locked; NULL: there is none. */
static struct hs_tvar *choose_changed(struct ghc_lane *lane, const struct hs_trec *trec)
{
	struct hs_tvar *found = NULL;
	uint64_t changed = 0;
	for (size_t i = lane->chunks_len; i-- != 0;)
		for (uint64_t k = 0; k < lane->chunks[i]->len && k < HS_CHUNK_ENTRIES; k++) {
			const struct hs_entry *entry = hs_entry_at(lane->chunks[i], k);
			uintptr_t value = entry->tvar->value;
			if (value != entry->expected && !hs_is_lock(value, trec) && replaces_choice(lane, changed++))
				found = entry->tvar;
		}
	return found;
}

static bool is_changed(const struct hs_entry *entry, const struct hs_trec *trec, struct changed *found)
{
	uintptr_t value = entry->tvar->value;
	bool is_locked = hs_is_lock(value, trec);
	*found = (struct changed){.tvar = entry->tvar, .was_locked = is_locked};
	for (int looks = 0; is_locked && looks < LOOKS_MAX; looks++) {
		__builtin_ia32_pause();
		value = entry->tvar->value;
		is_locked = hs_is_lock(value, trec);
	}
	return value != entry->expected;
}

struct changed entries_changed(struct ghc_lane *lane, const struct hs_trec *trec)
{
	struct changed found = {.tvar = choose_changed(lane, trec)};
	if (found.tvar != NULL)
		return found;
	for (size_t i = lane->chunks_len; i-- != 0;)
		for (uint64_t k = 0; k < lane->chunks[i]->len && k < HS_CHUNK_ENTRIES; k++)
			if (is_changed(hs_entry_at(lane->chunks[i], k), trec, &found))
				return found;
	return (struct changed){.tvar = NULL};
}
