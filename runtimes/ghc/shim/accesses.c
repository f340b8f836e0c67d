/* SPDX-License-Identifier: MIT
 * A measured attempt reads or writes a TVar: its place and the TVar's version are noted before. A function of the RTS
 * spins for as long as a transaction that commits has locked the TVar: that is a pause. */
#include "hooks.h"

#include "blame.h"
#include "capability.h"
#include "mark.h"
#include "trace.h"
#include "walk.h"

/* Before the access. */
struct before {
	struct ghc_lane *lane;
	struct hs_tvar *tvar;
	const struct hs_chunk *chunk;
	uint64_t len;
	uint64_t version;
	bool is_write;
	bool is_pause;
	uintptr_t sites[RING_SITES];
};

static uint64_t version_of(struct hs_capability *real, const struct hs_tvar *tvar)
{
	return ghc_rts.is_threaded ? tvar->updates : AO_load(&capability_find(real)->ring.head);
}

static void begin_pause(struct before *before, uintptr_t lock, const struct hs_tso *tso, uintptr_t *top)
{
	if (records_first(&before->lane->records, (uintptr_t)before->tvar) != NULL)
		return; /* the value is in the TRec */
	before->is_pause = true;
	trace_callers(before->lane, tso, top);
	struct locked locked = {before->tvar, lock, before->version};
	blame_pause(before->lane, &locked, before->sites, before->is_write);
}

static struct before look(
	struct hs_capability *real, const struct hs_trec *trec, struct hs_tvar *tvar, bool is_write, uintptr_t *top)
{
	struct before before = {
		.lane = lane_of(trec->mark),
		.tvar = tvar,
		.chunk = trec->chunk,
		.len = trec->chunk->len,
		.version = version_of(real, tvar),
		.is_write = is_write,
	};
	walk_access(walk_top(real->current, top), before.sites);
	uintptr_t value = tvar->value;
	if (STMLOG_UNLIKELY(hs_is_lock(value, trec)))
		begin_pause(&before, value, real->current, top);
	return before;
}

/* A first write of a TVar that was read before has no new entry. */
static bool is_new(const struct before *before, const struct hs_trec *trec)
{
	if (trec->chunk != before->chunk || trec->chunk->len != before->len)
		return true;
	return before->is_write && records_write_near(&before->lane->records, (uintptr_t)before->tvar) == NULL;
}

/* Finds the version of the value that the attempt has seen. If the TVar has that value still, it is the present count
 * of updates; if the count is as before the access, it is that one. Returns false if it may be either. */
static bool find_version(struct hs_capability *real, const struct before *before, uintptr_t seen, uint64_t *version)
{
	uint64_t now = version_of(real, before->tvar);
	bool is_same = before->tvar->value == seen && version_of(real, before->tvar) == now;
	*version = is_same ? now : before->version;
	return is_same || now == before->version;
}

/* The value that the entry expects, which was made last. */
static uintptr_t expected_by(const struct hs_trec *trec)
{
	return hs_entry_at(trec->chunk, trec->chunk->len - 1)->expected;
}

static void note(struct hs_capability *real, const struct before *before, const struct hs_trec *trec)
{
	if (before->is_pause)
		stmlog_pause_end(before->lane->log);
	struct record *record = is_new(before, trec) ? records_add(&before->lane->records) : NULL;
	if (record == NULL)
		return;
	record->tvar = (uintptr_t)before->tvar;
	record->is_write = before->is_write;
	record->is_unsure = !find_version(real, before, expected_by(trec), &record->version);
	for (size_t i = 0; i < RING_SITES; i++)
		record->sites[i] = before->sites[i];
}

uintptr_t hook_read(struct hs_capability *real, struct hs_trec *trec, struct hs_tvar *tvar, uintptr_t a, uintptr_t *top)
{
	if (!mark_is_lane(trec->mark))
		return ghc_real.read(real, trec, tvar, a);
	struct before before = look(real, trec, tvar, false, top);
	uintptr_t value = ghc_real.read(real, trec, tvar, a);
	note(real, &before, trec);
	return value;
}

void hook_write(struct hs_capability *real, struct hs_trec *trec, struct hs_tvar *tvar, uintptr_t value, uintptr_t *top)
{
	if (!mark_is_lane(trec->mark)) {
		ghc_real.write(real, trec, tvar, value);
		return;
	}
	struct before before = look(real, trec, tvar, true, top);
	ghc_real.write(real, trec, tvar, value);
	note(real, &before, trec);
}
