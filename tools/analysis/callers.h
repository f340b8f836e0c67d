/* SPDX-License-Identifier: MIT
 *
 * Commits and aborted attempts by the place where the transaction begins, and by its callers. Where `atomically` stands
 * in a helper, all transactions begin at one place: so a place is split by the first callers outwards in which its
 * transactions differ, and each of these again. Callers that all have in common are left out.
 *
 * In a recording with paths, the figures are estimates for all transactions, scaled so that their sums are the commits
 * and aborts of the threads, which are exact (unless no abort was measured); if all transactions were measured they are
 * exact themselves. In a recording without paths, they are of the measured transactions that have committed, and
 * callers are not known.
 */
#ifndef CALLERS_H
#define CALLERS_H

#include "recording.h"
#include "symbol.h"

struct callers_row {
	const struct symbol_frame *frame; /* NULL: not known, or no further caller */
	unsigned level;                   /* 0: transactions begin at `frame`, and the row is part of no other */
	double commits, aborts;
	uint64_t measured; /* commits */
};

/* The parts of a row follow it, one level higher, those with the most attempts first. The sums of the parts are those
 * of the row. */
struct callers {
	struct callers_row *rows;
	size_t len, cap;
	double commits, aborts; /* of all transactions; with paths they are exact */
	bool is_exact;          /* all transactions were measured */
	bool has_callers;       /* the recording has paths */
};

/* Ends the command if there is no memory. The frames are borrowed from the symbols. */
struct callers callers_make(const struct recording *recording, struct symbols *symbols);
void callers_fini(struct callers *callers);

/* The first row behind this one that is no part of it. Requires row < callers->len. */
size_t callers_next(const struct callers *callers, size_t row);

#endif
