/* SPDX-License-Identifier: MIT
 * Appends commits to a capability's ring, and searches rings for the commit that has written a TVar. */
#include "ring.h"

#include "requires.h"

static struct ring_commit *commit_at(struct ring *ring, AO_t position)
{
	return &ring->commits[position % RING_COMMITS];
}

static struct ring_write *write_at(struct ring *ring, AO_t position)
{
	return &ring->writes[position % RING_WRITES];
}

/* ---- owner ---- */

struct ring_commit *ring_begin(struct ring *ring, uintptr_t trec)
{
	AO_t position = AO_load(&ring->head);
	AO_store(&ring->claimed, position + 1);
	AO_nop_write(); /* partner: is_kept() */
	struct ring_commit *commit = commit_at(ring, position);
	AO_store(&commit->state, RING_PENDING);
	AO_store(&commit->trec, trec);
	AO_store(&commit->stamp, RING_NO_STAMP);
	AO_store(&commit->has_more, 0);
	AO_store(&ring->writes_claimed, AO_load(&ring->writes_head));
	return commit;
}

#ifdef STMLOG_CHECKS
/* Whether a commit was begun, and is not published. */
static bool has_begun(const struct ring *ring)
{
	return AO_load(&ring->claimed) == AO_load(&ring->head) + 1;
}
#endif

struct ring_write *ring_add(struct ring *ring, uintptr_t tvar, uint64_t version)
{
	REQUIRES(has_begun(ring));
	AO_t position = AO_load(&ring->writes_claimed);
	if (position - AO_load(&ring->writes_head) == RING_WRITES_OF_COMMIT) {
		AO_store(&commit_at(ring, AO_load(&ring->head))->has_more, 1);
		return NULL;
	}
	AO_store(&ring->writes_claimed, position + 1);
	AO_nop_write(); /* partner: is_kept() */
	struct ring_write *write = write_at(ring, position);
	AO_store(&write->tvar, tvar);
	AO_store(&write->version, version);
	AO_store(&write->commit, AO_load(&ring->head));
	for (size_t i = 0; i < RING_SITES; i++)
		AO_store(&write->sites[i], 0);
	return write;
}

bool ring_has_writes(const struct ring *ring)
{
	return AO_load(&ring->writes_claimed) != AO_load(&ring->writes_head);
}

void ring_publish(struct ring *ring)
{
	REQUIRES(has_begun(ring) && ring_has_writes(ring));
	AO_store_release(&ring->head, AO_load(&ring->head) + 1);
	AO_store_release(&ring->writes_head, AO_load(&ring->writes_claimed)); /* partner: ring_search() */
}

bool ring_is_short(const struct ring *ring)
{
	return AO_load(&ring->commits[(AO_load(&ring->head) - 1) % RING_COMMITS].has_more) != 0;
}

void ring_finish(struct ring *ring, enum ring_state state, uint64_t stamp)
{
	struct ring_commit *commit = commit_at(ring, AO_load(&ring->head) - 1);
	REQUIRES(!has_begun(ring) && AO_load(&commit->state) == RING_PENDING);
	AO_store(&commit->stamp, stamp);
	AO_store_release(&commit->state, state); /* partner: copy_commit() */
}

/* ---- any thread ---- */

static void copy_commit(const struct ring *ring, AO_t position, struct ring_found *found)
{
	const struct ring_commit *commit = &ring->commits[position % RING_COMMITS];
	found->state = (enum ring_state)AO_load_acquire(&commit->state);
	found->lane = (uint32_t)AO_load(&commit->lane);
	found->code = AO_load(&commit->code);
	for (size_t i = 0; i < RING_CALLERS; i++)
		found->callers[i] = AO_load(&commit->callers[i]);
	found->haskell = AO_load(&commit->haskell) / 2;
	found->label = (struct hs_label){{0}};
	for (size_t i = 0; i < HS_LABEL_WORDS && AO_load(&commit->haskell) % 2 != 0; i++)
		found->label.words[i] = AO_load(&ring->labels[position % RING_COMMITS][i]);
}

static bool is_kept(const struct ring *ring, AO_t commit, AO_t write)
{
	AO_nop_read();
	return AO_load(&ring->claimed) - commit <= RING_COMMITS &&
	       AO_load(&ring->writes_claimed) - write <= RING_WRITES;
}

/* Copies the write at this position with its commit. Returns false if the owner has overwritten them meanwhile. */
static bool copy(const struct ring *ring, AO_t position, struct ring_found *found)
{
	const struct ring_write *write = &ring->writes[position % RING_WRITES];
	AO_t commit = AO_load(&write->commit);
	found->version = AO_load(&write->version);
	for (size_t i = 0; i < RING_SITES; i++)
		found->sites[i] = AO_load(&write->sites[i]);
	copy_commit(ring, commit, found);
	return is_kept(ring, commit, position);
}

static bool is_overwritten(const struct ring *ring, AO_t commit)
{
	return AO_load(&ring->claimed) - commit > RING_COMMITS;
}

/* Whether the commit was forgotten, or finished before `since`. Then so were all before it. */
static bool is_past(const struct ring *ring, AO_t commit, uint64_t since)
{
	return commit < AO_load(&ring->tail) || AO_load(&ring->commits[commit % RING_COMMITS].stamp) < since;
}

/* Whether the write at this position, a write of the TVar, is better than what was found. */
static bool is_better(const struct ring_found *candidate, const struct ring_found *found)
{
	return candidate->state != RING_WITHDRAWN && candidate->version < found->version;
}

bool ring_search(const struct ring *ring, uintptr_t tvar, uint64_t version, uint64_t since, struct ring_found *found)
{
	struct ring_found candidate = {.is_cut = false};
	bool has_improved = false;
	AO_t head = AO_load_acquire(&ring->writes_head);
	for (AO_t position = head; position-- != 0;) {
		const struct ring_write *write = &ring->writes[position % RING_WRITES];
		AO_t commit = AO_load(&write->commit);
		bool is_tvar = AO_load(&write->tvar) == tvar;
		if (head - position > RING_WRITES || is_overwritten(ring, commit) ||
			(is_tvar && !copy(ring, position, &candidate))) {
			found->is_cut = true;
			break;
		}
		if (is_past(ring, commit, since) || (is_tvar && candidate.version <= version))
			break;
		found->is_cut |= AO_load(&ring->commits[commit % RING_COMMITS].has_more) != 0;
		if (is_tvar && is_better(&candidate, found)) {
			candidate.is_cut = found->is_cut;
			*found = candidate;
			has_improved = true;
		}
	}
	return has_improved;
}

bool ring_holder(const struct ring *ring, uintptr_t tvar, uintptr_t trec, uint64_t version, struct ring_found *found)
{
	AO_t head = AO_load_acquire(&ring->writes_head), last = AO_load(&ring->head) - 1;
	if (last == ~(AO_t)0 || AO_load(&ring->commits[last % RING_COMMITS].trec) != trec)
		return false;
	for (AO_t position = head; position-- != 0 && head - position <= RING_WRITES;) {
		const struct ring_write *write = &ring->writes[position % RING_WRITES];
		if (AO_load(&write->commit) != last)
			break;
		if (AO_load(&write->tvar) == tvar)
			return copy(ring, position, found) && found->state != RING_WITHDRAWN &&
			       found->version > version;
	}
	return false;
}
