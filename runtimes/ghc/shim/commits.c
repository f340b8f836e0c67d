/* SPDX-License-Identifier: MIT
 * The hooks of commits: an attempt commits, or fails. */
#include "ghc_hooks.h"

#include "ghc_blame.h"
#include "blocked.h"
#include "sampling.h"
#include "walk.h"

/* ---- publishing ---- */

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

static void add_label(struct ring *ring, const struct ring_commit *commit, const struct hs_tso *tso)
{
	struct hs_label label = hs_label(tso);
	for (size_t i = 0; i < HS_LABEL_WORDS; i++)
		AO_store(&ring->labels[commit - ring->commits][i], label.words[i]);
}

static void add_haskell_thread(struct ring *ring, struct ring_commit *commit, const struct hs_tso *tso)
{
	bool has_label = hs_has_label(tso);
	AO_store(&commit->haskell, 2 * hs_id(tso) + has_label);
	if (STMLOG_UNLIKELY(has_label))
		add_label(ring, commit, tso);
}

/* Puts the writes of a commit into the capability's ring before it commits, so that other attempts find them. Returns
 * whether there was anything to publish; then finish() must follow. `lane`: of the transaction; NULL: it is not
 * measured. The place of each write is known of measured transactions only. `top`: the frame with which it began, or
 * one below that. */
static bool publish(struct ghc_capability *mine, struct hs_trec *trec, struct ghc_lane *lane, uintptr_t *top)
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
	add_haskell_thread(&mine->ring, commit, mine->hooked->current);
	ring_publish(&mine->ring);
	return true;
}

/* One in so many published commits has a time stamp. Reading the clock costs more than everything else here, and a
 * search that passes a few more commits costs little. But one that is not wholly recorded makes each search doubtful
 * that passes it. */
#define PUBLISHED_PER_STAMP 16

/* Behind publish(): the RTS has committed, or has refused to. */
static void finish(struct ghc_capability *mine, bool has_committed)
{
	struct ring *ring = &mine->ring;
	bool has_stamp = AO_load(&ring->head) % PUBLISHED_PER_STAMP == 0 || ring_is_short(ring);
	ring_finish(ring, has_committed ? RING_DONE : RING_WITHDRAWN, has_stamp ? stmlog_now_ns() : RING_NO_STAMP);
}

/* ---- the hooks ---- */

/* ---- attempts that are not measured ---- */

void unmeasured_end(struct ghc_capability *mine, uint32_t mark)
{
	REQUIRES(mark != 0 && !mark_is_lane(mark));
	if (mark_is_slot(mark))
		blocked_end(mine, mark);
	else
		late_forget(mark);
}

/* `mark`: of the attempt's TRec, before it was tried to commit it. */
static void count(struct ghc_capability *mine, uint32_t mark, bool has_committed)
{
	if (!has_committed)
		gap_count_failed(mine);
	else if (mark_is_slot(mark))
		sampling_count_committed(mine);
	else
		sampling_pass_committed(mine);
}

/* Publishes the commit, which a measured attempt may have to find, and commits. */
static uintptr_t commit_published(
	struct ghc_capability *mine, struct hs_trec *trec, uintptr_t a, uintptr_t b, uintptr_t *top)
{
	bool is_published = trec->state != HS_CONDEMNED && publish(mine, trec, NULL, top);
	uintptr_t has_committed = ghc_real.commit(mine->hooked, trec, a, b);
	if (is_published)
		finish(mine, has_committed != 0);
	return has_committed;
}

/* Whether it may wake a transaction, by the latest entries of its TRec. Then that one may have to find it. */
static bool may_wake(struct hs_trec *trec)
{
	struct hs_chunk *chunk = trec->chunk;
	for (uint64_t i = 0; i < chunk->len && i < HS_CHUNK_ENTRIES; i++) {
		const struct hs_entry *entry = hs_entry_at(chunk, i);
		if (entry->value != entry->expected && hs_has_waiters(entry->tvar))
			return true;
	}
	return false;
}

static uintptr_t commit_plain(
	struct ghc_capability *mine, struct hs_trec *trec, uintptr_t a, uintptr_t b, uintptr_t *top)
{
	uint32_t mark = trec->mark;
	uintptr_t has_committed = watch_has_lanes() || may_wake(trec) ? commit_published(mine, trec, a, b, top)
								      : ghc_real.commit(mine->hooked, trec, a, b);
	count(mine, mark, has_committed != 0);
	if (STMLOG_UNLIKELY(mark != 0 && has_committed))
		unmeasured_end(mine, mark);
	return has_committed;
}

/* ---- measured ones ---- */

/* Counts a transaction that was measured late: sampling has passed it over when it began. */
static void commit_late(struct ghc_capability *mine, const struct ghc_lane *lane)
{
	late_note(mine, lane->records.len, stmlog_now_ns());
	if (lane->slot == 0)
		sampling_pass(mine);
}

static void end(struct ghc_capability *mine, struct ghc_lane *lane)
{
	uint32_t slot = lane->slot;
	stmlog_commit(lane->log);
	stmlog_count_reads(lane->log, entries_len(lane));
	if (STMLOG_UNLIKELY(lane_is_late(lane)))
		commit_late(mine, lane);
	else
		sampling_note(mine);
	gap_add_commit(mine);
	lane_free(lane, mine);
	if (slot != 0)
		blocked_end(mine, slot);
}

/* Whether another attempt may have to find the commit. A lane that is not the first one shows that an attempt has that
 * one, though its Haskell thread may be in a call of C. */
static bool has_rivals(const struct ghc_capability *mine, const struct ghc_lane *lane)
{
	return watch_has_others() || lane != mine->lanes[0];
}

static uintptr_t commit_measured(
	struct ghc_capability *mine, struct hs_trec *trec, uintptr_t a, uintptr_t b, uintptr_t *top)
{
	struct ghc_lane *lane = lane_of(trec->mark);
	bool is_condemned = trec->state == HS_CONDEMNED;
	entries_note(lane, trec);
	bool is_published = !is_condemned && has_rivals(mine, lane) && publish(mine, trec, lane, top);
	uintptr_t has_committed = ghc_real.commit(mine->hooked, trec, a, b);
	if (is_published)
		finish(mine, has_committed != 0);
	if (has_committed) {
		end(mine, lane);
		return has_committed;
	}
	trace_callers(lane, mine->hooked->current, top);
	blame_lost(lane, trec, is_condemned ? "ZOMBIE" : blame_commit);
	return has_committed;
}

uintptr_t hook_commit(struct hs_capability *real, struct hs_trec *trec, uintptr_t a, uintptr_t b, uintptr_t *top)
{
	struct ghc_capability *mine = capability_find(real);
	if (mine == NULL)
		return ghc_real.commit(real, trec, a, b);
	uintptr_t has_committed =
		mark_is_lane(trec->mark) ? commit_measured(mine, trec, a, b, top) : commit_plain(mine, trec, a, b, top);
	if (has_committed)
		trec->mark = 0; /* the RTS keeps the TRec for the next attempt */
	else
		capability_await_start(mine);
	return has_committed;
}

uintptr_t commit_failed(struct ghc_capability *mine)
{
	gap_count_failed(mine);
	capability_await_start(mine);
	return 0;
}

uintptr_t commit_makes_due(struct ghc_capability *mine, uintptr_t has_committed)
{
	sampling_choose_next(mine);
	return has_committed;
}

/* ---- nested ones ---- */

/* Where an alternative of `orElse` fails, the whole attempt begins again; where the body of `catchSTM` fails, only that
 * body. */
uintptr_t hook_commit_nested(struct hs_capability *real, struct hs_trec *trec, uintptr_t a, uintptr_t b, uintptr_t *top)
{
	struct ghc_capability *mine = capability_find(real);
	uint32_t mark = trec->mark;
	if (mark_is_lane(mark))
		entries_note(lane_of(mark), trec);
	uintptr_t has_committed = ghc_real.commit_nested(real, trec, a, b);
	trec->mark = 0;
	if (has_committed || mine == NULL)
		return has_committed;
	capability_await_start(mine);
	if (hs_type(*walk_top(real->current, top)) != HS_CATCH_RETRY_FRAME)
		return has_committed;
	if (!mark_is_lane(mark)) {
		gap_count_failed(mine);
		return has_committed;
	}
	trace_callers(lane_of(mark), real->current, top);
	blame_lost(lane_of(mark), trec, "NESTED_INVALID");
	return has_committed;
}
