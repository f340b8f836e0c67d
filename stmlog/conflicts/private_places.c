/* SPDX-License-Identifier: MIT
 * The rows of private places. Only its owner writes a row. */
#include "private_places.h"

#include <atomic_ops.h>

#include "index.h"
#include "mem.h"

#define ROWS 16384u
#define PROBES 4u
#define WINDOW 128u /* an owner has at most so many rows of one site */
#define TURNS PRIVATE_TURNS

/* Invariant: the owner and the innermost site do not change. */
struct row {
	volatile AO_t owner;         /* 0: none. A number, and the bits of attempts that no origin has */
	volatile AO_t stamp;         /* of the last fill, (attempt + 1) * TURNS + turn, never twice the same; 0: none */
	AO_t turn_before;            /* of the last fill before that attempt */
	volatile AO_t thread, since; /* who fills it, and the attempt in which it took the row over from another one */
	struct tb_copy traceback;
};

static volatile AO_t table; /* struct row[ROWS], by mem_table() */
static volatile AO_t numbers, owned;

/* Returns the owner's k-th row of the site. The fewer rows are free, the fewer an owner gets. */
static struct row *find_row(struct row *rows, AO_t owner, struct tb_site site, unsigned k)
{
	uint64_t hash = (site_hash(site) + (uint64_t)owner * WINDOW + k) * 0x9e3779b97f4a7c15u;
	for (unsigned i = 0; i < PROBES; i++) {
		struct row *row = &rows[((hash >> 32) + i) % ROWS];
		if (AO_load(&row->owner) == 0 && k <= (ROWS - AO_load(&owned)) / WINDOW &&
			AO_compare_and_swap_acquire(&row->owner, 0, owner)) {
			AO_fetch_and_add1(&owned);
			row->traceback.len = 1;
			row->traceback.sites[0] = site;
		}
		if (AO_load(&row->owner) == owner && site_is_same(row->traceback.sites[0], site))
			return row;
	}
	return NULL;
}

/* Returns the stamp of the next fill. Its turn is that of no origin that this attempt may have; 0: there is none. */
static AO_t next_stamp(struct row *row, AO_t attempt)
{
	AO_t last = AO_load(&row->stamp), turn = (last + 1) % TURNS;
	if (last / TURNS < attempt + 1)
		row->turn_before = last % TURNS;
	return turn == row->turn_before || last / TURNS > attempt + 1 ? 0 : (attempt + 1) * TURNS + turn;
}

/* All that the stamp is for changes behind it, `since` before the thread. Partner: private_place_read(). */
static void fill(struct row *row, AO_t thread, AO_t stamp, const struct tb_copy *traceback)
{
	AO_store_release(&row->stamp, stamp); /* a new row's site is seen before */
	AO_nop_write();
	if (AO_load(&row->thread) != 0 && AO_load(&row->thread) != thread)
		AO_store(&row->since, stamp / TURNS - 1);
	AO_store_release(&row->thread, thread);
	tb_copy_assign(&row->traceback, traceback);
	AO_nop_write(); /* whoever sees an origin of this fill sees all of it */
}

uint64_t private_place_fill(
	struct private_places *places, uint32_t thread, uint64_t attempt, const struct tb_copy *traceback)
{
	struct row *rows = mem_table(&table, ROWS * sizeof *rows);
	uint64_t lap = attempt >> STMLOG_ORIGIN_ATTEMPT_BITS & (PRIVATE_LAPS - 1);
	AO_t stamp, named = lap << STMLOG_ORIGIN_ATTEMPT_BITS | (attempt & STMLOG_ORIGIN_ATTEMPTS);
	if (places->number == 0)
		places->number = (uint32_t)AO_fetch_and_add1(&numbers) + 1;
	AO_t owner = (AO_t)places->number << 30 | attempt / PRIVATE_LAPS >> STMLOG_ORIGIN_ATTEMPT_BITS;
	for (unsigned k = rows != NULL ? places->fills++ % WINDOW + 1 : 0; k != 0; k /= 4) {
		struct row *row = find_row(rows, owner, traceback->sites[0], k - 1);
		if (row == NULL || (stamp = next_stamp(row, named)) == 0)
			continue;
		fill(row, thread, stamp, traceback);
		uint64_t at = (uint64_t)(row - rows);
		return (lap * TURNS + stamp % TURNS) << 44 | at >> 10 << 40 | PRIVATE_FLAG | at % 1024;
	}
	return 0;
}

void private_place_read(uint64_t origin, struct stmlog_origin_parts *parts)
{
	const struct row *rows = (const struct row *)AO_load_acquire(&table);
	AO_t stamp, attempt = (origin >> 54 & (PRIVATE_LAPS - 1)) << STMLOG_ORIGIN_ATTEMPT_BITS | parts->attempt;
	size_t at = origin % 1024 | (origin >> 40 & 0xf) << 10;
	if (rows == NULL || (stamp = AO_load_acquire(&rows[at].stamp)) == 0) /* partner: fill() */
		return;
	const struct row *row = &rows[at];
	AO_t thread = AO_load_acquire(&row->thread), since = AO_load(&row->since);
	tb_copy_assign(&parts->copy, &row->traceback);
	AO_nop_read();
	bool is_it = AO_load(&row->stamp) == stamp && stamp % TURNS == (origin >> 44) % TURNS &&
		     stamp / TURNS <= attempt + 1;
	if (!is_it) {
		parts->copy.len = 1; /* the site */
		parts->copy.is_whole = false;
	}
	parts->thread = is_it || attempt > since ? (uint32_t)thread : 0;
	parts->traceback = &parts->copy;
}
