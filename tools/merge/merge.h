/* SPDX-License-Identifier: MIT
 * Adds recordings of several runs of one program into one, by key. What it holds grows with the keys that differ, not
 * with the recordings: each is looked at once, and nothing of it is borrowed afterwards.
 *
 * Keys are the same where they name the same places: a place by function, file and line; an address by its module's
 * build-id (its path where it has none) and its offset there; an opaque site by its code and its function or position.
 * Keys and sums depend neither on the order nor on what was merged before; which objects of an entry are kept, and what
 * stands for all where only one fits, may.
 *
 * Timelines are not merged, and neither are blocks: an address of the heap means nothing in another run. */
#ifndef MERGE_H
#define MERGE_H

#include <stdbool.h>

#include "merge_info.h"
#include "recording.h"
#include "unique.h"

struct merge_module {
	struct stmlog_module_record record;
	bool is_over_another; /* it lies where another one does, and cannot be moved */
};

struct merge {
	struct merge_info info;
	struct unique strings;    /* as the section has them: a string is where its piece begins */
	struct keyed modules;     /* struct merge_module; by build-id or path */
	uint64_t modules_end;     /* nothing is above */
	struct unique sites;      /* struct stmlog_site_record; an address has its offset in its module for position */
	struct unique tracebacks; /* as the section has them */
	struct keyed totals;
	struct keyed threads;
	struct keyed entries;
	struct keyed paths;
	struct keyed transactions;
	bool lacks_paths, lacks_transactions; /* some recording has none: sums of the others would miss it */
	uint64_t timelines;                   /* left out */
};

void merge_init(struct merge *merge);

/* Returns NULL, or why this one cannot be added: a sentence without an end, borrowed, and nothing was. */
const char *merge_add(struct merge *merge, const struct recording *recording);

/* Ends what can be added: some of it is put in its final form. Requires that something was. */
bool merge_save(struct merge *merge, const char *path);
void merge_fini(struct merge *merge);

#endif
