/* SPDX-License-Identifier: MIT
 *
 * Which lines of cache the transactions of one thread have touched, by the place where those began: what the owner
 * has seen lately, kept for others to look for a common line in. Hardware transactions that fail over data are told
 * neither the line nor the other one; who is known to touch the same lines is a candidate.
 *
 * A table of fixed size, in sets; what is seen rarely makes room. Each element is of one line and one site.
 *
 * Invariants:  an element with line 0 is free; among the others of a set no two have line and site in common;
 *              `version` is odd while the owner changes the element.
 * Partners: the owner stores version (odd), fields, version (even, release); readers load version (acquire), fields,
 * and after a read barrier version again. The owner never waits; what changes meanwhile is left out by the reader.
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
	volatile AO_t place; /* of the last access, a write if there was any */
	volatile AO_t reads; /* a bit for each byte that was read ... */
	volatile AO_t writes;
	volatile AO_t count; /* transactions that have touched it; an aging one */
	volatile AO_t last;  /* number of the transaction that was counted last */
};

struct itm_lines {
	struct itm_line at[ITM_LINES_SETS][ITM_LINES_WAYS];
	uint64_t transactions; /* owner's own */
};

/* ---- owner ---- */

/* A further transaction begins to be noted. */
void itm_lines_begin(struct itm_lines *lines);

/* It has touched `size` bytes at `address`, by the code at `place` (0: not known). Of more than 16 lines the first. */
void itm_lines_add(
	struct itm_lines *lines, uintptr_t site, uintptr_t place, uintptr_t address, size_t size, bool is_write);

/* ---- any thread ---- */

/* Where two transactions meet most often, as far as both tables tell. */
struct itm_meeting {
	uint64_t weight;  /* 0: nowhere */
	bool is_false;    /* no byte that one writes is one that the other touches */
	uintptr_t mine;   /* first byte that the one touches there, of those they share if there are any */
	uintptr_t theirs; /* and the other one */
	uintptr_t site;   /* where the other one's transaction begins */
	uintptr_t place;  /* and its access is */
};

/* Looks for lines that transactions from `site` touch and any of the other's do, too, one of them writing; *best
 * becomes the heaviest of those found, if it is heavier than it was. `mine` is the caller's own. */
void itm_lines_meet(
	const struct itm_lines *mine, uintptr_t site, const struct itm_lines *theirs, struct itm_meeting *best);

#endif
