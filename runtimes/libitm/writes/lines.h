/* SPDX-License-Identifier: MIT
 *
 * The cache lines that the transactions of one thread have touched lately, by the site where the transaction began.
 * Other threads search them for lines in common: when a hardware transaction aborts over data, the processor tells
 * neither the line nor the other transaction, so a transaction known to touch the same lines is a candidate.
 *
 * A table of fixed size, divided into sets. Each element is for one line and one site. When a set is full, the element
 * that was touched most rarely is replaced.
 *
 * Invariants:  an element with line 0 is free; no two others of a set have the same line and site;
 *              `version` is odd while the owner changes the element.
 * Partners: the owner stores version (odd), fields, version (even, release). Readers load version (acquire), fields,
 * and, after a read barrier, version again. The owner never waits. A reader leaves out an element that has changed
 * meanwhile.
 */
#ifndef ITM_LINES_H
#define ITM_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <atomic_ops.h>

#define ITM_LINE_SHIFT 6
#define ITM_LINE_BYTES (1u << ITM_LINE_SHIFT)

#define ITM_LINES_SETS 64
#define ITM_LINES_WAYS 8

struct itm_line {
	volatile AO_t version;
	volatile AO_t line;  /* address >> ITM_LINE_SHIFT */
	volatile AO_t site;  /* begin's return address */
	volatile AO_t place; /* code address of the last write, or of the last read if nothing was written */
	volatile AO_t reads; /* a bit for each byte that was read */
	volatile AO_t writes;
	volatile AO_t count; /* transactions that have touched the line; halved now and then, so that old ones fade */
	volatile AO_t last;  /* number of the transaction that was counted last */
};

struct itm_lines {
	struct itm_line sets[ITM_LINES_SETS][ITM_LINES_WAYS];
	uint64_t transactions; /* number of the present one; only the owner reads it */
};

/* ---- owner ---- */

/* The accesses added from now on are those of another transaction. */
void itm_lines_begin(struct itm_lines *lines);

/* Adds an access of `size` bytes at `address` by the code at `place` (0: not known). Of a longer access only the first
 * 16 lines are added. */
void itm_lines_add(
	struct itm_lines *lines, uintptr_t site, uintptr_t place, uintptr_t address, size_t size, bool is_write);

/* ---- any thread ---- */

/* A line that two transactions of different threads touch, at least one of them by a write. */
struct itm_common_line {
	uint64_t weight;  /* the higher, the more often both touch it; 0: there is no such line */
	bool is_false;    /* they touch different bytes: a false conflict */
	uintptr_t mine;   /* the first byte that both touch; if is_false, the first one that the caller's touches */
	uintptr_t theirs; /* the same for the other transaction */
	uintptr_t site;   /* where the other transaction begins */
	uintptr_t place;  /* the code address of its access */
};

/* Searches for lines that both the caller's transactions from `site` and any transactions of the other thread touch, at
 * least one of them by a write. Sets *best to the heaviest one found, if that is heavier than *best. `mine` is the
 * caller's own table. */
void itm_lines_find_common(
	const struct itm_lines *mine, uintptr_t site, const struct itm_lines *theirs, struct itm_common_line *best);

#endif
