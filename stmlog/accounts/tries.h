/* SPDX-License-Identifier: MIT
 *
 * How many attempts transactions have taken until they committed, and how much time that has cost, by the site where
 * they begin. Written by one thread, read by others while it goes on: each word for itself. It stays when its thread
 * has ended, and a later one adds to it.
 *
 * Invariants: rows[0 .. len) are of different sites; `clean` transactions, which are most of them, have committed
 * at once and are in no other word of the row; another one is added to the words in their order, and they are read in
 * the opposite one: so what is in a word that was read is in all before it, too.
 */
#ifndef STMLOG_TRIES_H
#define STMLOG_TRIES_H

#include <stdbool.h>

#include <atomic_ops.h>

#include <stmlog/compiler.h>
#include <stmlog/format.h>
#include <stmlog/traceback.h>

#define TRIES_MOST 256 /* sites; what is beyond goes together */

struct tries_row {
	volatile AO_t code, position; /* the site */
	volatile AO_t clean;
	volatile AO_t attempts, lost_ns, most_attempts, longest_ns;
	volatile AO_t by_attempts[STMLOG_ATTEMPT_BUCKETS];
	volatile AO_t by_lost_ns[STMLOG_LOST_BUCKETS];
};

struct tries {
	volatile AO_t len;              /* stored with release order when the row is there; partner: tries_each() */
	struct tries_row *last;         /* of the transaction before; NULL: none yet */
	bool is_busy;                   /* a signal handler that finds it set has interrupted ourselves */
	struct tries_row others;        /* of unknown sites, and those for which there was no row */
	struct tries_row interrupting;  /* likewise, of signal handlers that have interrupted ourselves */
	uint16_t index[2 * TRIES_MOST]; /* row + 1, by site; 0: free */
	struct tries_row rows[TRIES_MOST];
};

/* ---- owner ---- */

static inline bool tries_row_is_of(const struct tries_row *row, struct tb_site site)
{
	return AO_load(&row->code) == site.code && AO_load(&row->position) == site.position;
}

/* Out of line: any transaction. */
void tries_add_on(struct tries *tries, struct tb_site site, uint64_t attempts, uint64_t lost_ns);

/* A transaction has committed, in its `attempts`-th attempt, and has lost so much by those before. A site of position 0
 * is not known. */
static inline void tries_add(struct tries *tries, struct tb_site site, uint64_t attempts, uint64_t lost_ns)
{
	struct tries_row *row = tries->last;
	if (STMLOG_LIKELY(row != NULL && tries_row_is_of(row, site) && attempts == 1 && lost_ns == 0))
		AO_store(&row->clean, AO_load(&row->clean) + 1);
	else
		tries_add_on(tries, site, attempts, lost_ns);
}

/* Empties it; of a thread that is alone. */
void tries_clear(struct tries *tries);

/* ---- any thread ---- */

/* Calls back for each row that has anything, with the clean ones where they belong. `record` has no site, which is
 * `site`: of position 0 for what is not known. */
void tries_each(const struct tries *tries,
	void (*each)(struct tb_site site, const struct stmlog_transaction_record *record, void *arg), void *arg);

#endif
