/* SPDX-License-Identifier: MIT
 * The hooks of reads and writes of TVars. In a measured attempt the place of the access and the TVar's version are
 * noted before it. A function of the RTS spins for as long as a transaction that commits has locked the TVar: that is a
 * pause. */
#include "ghc_hooks.h"

#include "ghc_blame.h"
#include "capability.h"
#include "lane.h"
#include "walk.h"

/* An access that is about to happen, or has just happened. */
struct access {
	struct hs_capability *real;
	const struct hs_trec *trec;
	struct hs_tvar *tvar;
	struct ghc_lane *lane;
	struct record *record; /* kept if the access has made a new entry */
	const struct hs_chunk *chunk;
	uint64_t len; /* of the chunk before the access */
	bool is_write;
	bool is_pause;
	bool is_versioned; /* `value` has the record's version */
	uintptr_t value;   /* of the TVar before the access */
};

/* The TVar's version (ring.h): its count of updates, or in an RTS that is not threaded the head of the only ring. */
static uint64_t version_of(struct hs_capability *real, const struct hs_tvar *tvar)
{
	return ghc_rts.is_threaded ? tvar->updates : AO_load(&capability_find(real)->ring.head);
}

/* Returns false if there is no pause: the TRec has the value already, so the RTS does not wait for the TVar. */
static bool begin_pause(
	struct ghc_lane *lane, const struct record *record, uintptr_t lock, const struct hs_tso *tso, uintptr_t *top)
{
	if (records_first(&lane->records, record->tvar) != NULL)
		return false;
	trace_callers(lane, tso, top);
	struct locked locked = {(const struct hs_tvar *)record->tvar, lock, record->version};
	blame_pause(lane, &locked, record->sites, record->is_write);
	return true;
}

__attribute__((always_inline)) static inline struct access before(
	struct hs_capability *real, const struct hs_trec *trec, struct hs_tvar *tvar, bool is_write, uintptr_t *top)
{
	struct ghc_lane *lane = lane_of(trec->mark);
	struct record *record = records_next(&lane->records);
	struct access access = {
		real, trec, tvar, lane, record, trec->chunk, trec->chunk->len, is_write, .is_pause = false};
	record->tvar = (uintptr_t)tvar;
	record->is_write = is_write;
	top = walk_top(real->current, top);
	if (STMLOG_UNLIKELY(walk_access(top, record->sites) || lane->stack.len != 0))
		left_add(top, &lane->stack, record->sites);
	if (STMLOG_UNLIKELY(record->sites[0] == 0) && lane->code != 0)
		record->sites[0] = lane->code - 1 + WALK_LAST;
	/* Directly before the access: a commit in between would make the version doubtful. */
	record->version = version_of(real, tvar);
	access.value = tvar->value;
	bool is_locked = hs_is_lock(access.value, trec);
	access.is_versioned = tvar->updates == record->version && !is_locked; /* matters in a threaded RTS only */
	if (STMLOG_UNLIKELY(is_locked))
		access.is_pause = begin_pause(lane, record, access.value, real->current, top);
	return access;
}

/* Whether the access gets a record: it made a new entry, or is a first write of a TVar that was read before, which
 * makes none. */
static inline bool is_new(const struct access *access)
{
	if (access->trec->chunk != access->chunk || access->trec->chunk->len != access->len)
		return true;
	return access->is_write && records_write_near(&access->lane->records, (uintptr_t)access->tvar) == NULL;
}

/* Finds the version of the value that the attempt has seen, where commits have come since that of the record was read.
 * If the TVar still has the value, it is the present one. If one commit has come, it is the one before for the value
 * before, and the present one for another value: a commit changes the value. Otherwise it may be any of theirs. */
static inline void find_version(const struct access *access, uintptr_t seen, uint64_t now)
{
	struct record *record = access->record;
	bool is_same = access->tvar->value == seen && version_of(access->real, access->tvar) == now;
	bool is_one_later = access->is_versioned && now == record->version + 1;
	record->is_unsure = !is_same && !is_one_later;
	if (is_same || (is_one_later && seen != access->value))
		record->version = now;
}

/* The value that the newest entry expects. */
static inline uintptr_t expected_by(const struct hs_trec *trec)
{
	return hs_entry_at(trec->chunk, trec->chunk->len - 1)->expected;
}

__attribute__((always_inline)) static inline void after(const struct access *access)
{
	if (STMLOG_UNLIKELY(access->is_pause))
		stmlog_wait_end(access->lane->log);
	if (!is_new(access))
		return;
	access->record->is_unsure = false;
	uint64_t now = version_of(access->real, access->tvar);
	if (STMLOG_UNLIKELY(now != access->record->version))
		find_version(access, expected_by(access->trec), now);
	records_append(&access->lane->records);
}

uintptr_t hook_read(struct hs_capability *real, struct hs_trec *trec, struct hs_tvar *tvar, uintptr_t a, uintptr_t *top)
{
	if (!mark_is_lane(trec->mark))
		return ghc_real.read(real, trec, tvar, a);
	struct access access = before(real, trec, tvar, false, top);
	uintptr_t value = ghc_real.read(real, trec, tvar, a);
	after(&access);
	return value;
}

void hook_write(struct hs_capability *real, struct hs_trec *trec, struct hs_tvar *tvar, uintptr_t value, uintptr_t *top)
{
	if (!mark_is_lane(trec->mark)) {
		ghc_real.write(real, trec, tvar, value);
		return;
	}
	struct access access = before(real, trec, tvar, true, top);
	ghc_real.write(real, trec, tvar, value);
	after(&access);
}
