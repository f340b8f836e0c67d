/* SPDX-License-Identifier: MIT
 * Adds up recordings of several runs of one program, or of the processes of one run, by key. Memory grows with the
 * number of different keys, not with the number of recordings. Each recording is read once, and nothing of it is
 * borrowed afterwards.
 *
 * Two keys are the same if they name the same places. A place has a function, file and line; an address has its
 * module's build-id (or path, if there is none) and its offset there; an opaque site has its code and its function or
 * position; a green thread has its label, or else its number. Keys and sums depend neither on the order of the
 * recordings nor on earlier merges. The choice of an entry's objects may, and so may a value that can be of one run
 * only.
 *
 * Accesses are those of the run that has the most of them, since transactions of two runs were never under way at the
 * same time. Their threads have the numbers that they had: threads of the same number are added up.
 *
 * The processes of one run may be of several programs. Their threads have new numbers, and are not added up.
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
	bool is_over_another; /* it overlaps another module, and cannot be moved */
};

/* How many processes of a program were in the last recording that had any; in one run, in all. */
struct merge_program {
	uint32_t recording, processes;
};

struct merge {
	struct merge_info info;
	struct unique strings; /* as in the section: the reference of a string is where its piece begins */
	struct keyed modules;  /* struct merge_module; by build-id or path */
	uint64_t modules_end;  /* no module is above */
	struct unique sites;   /* struct stmlog_site_record; the position of an address is its offset in its module */
	struct unique tracebacks; /* as in the section */
	struct keyed totals;
	struct keyed threads;
	struct keyed entries;
	struct keyed paths;
	struct keyed transactions;
	struct keyed blocked;
	struct keyed green;
	struct keyed own_work;
	struct keyed labels;    /* by text; without the pieces of memory, as blocks are left out */
	struct keyed open;      /* of one run alone */
	struct keyed programs;  /* struct merge_program; by name */
	struct keyed processes; /* by program, and the place among its processes */
	uint32_t recordings;
	uint32_t threads_before;              /* in one run no thread of the recordings so far has a higher number */
	bool lacks_paths, lacks_transactions; /* a recording has none, so that the sums would be too low */
	uint64_t timelines;                   /* left out */
};

void merge_init(struct merge *merge);

/* The same for recordings of the processes of one run. What is said of the run as a whole, such as its arguments, is
 * what the first recording says. */
void merge_init_run(struct merge *merge);

/* Adds a recording. If it cannot be added, changes nothing and returns why: a sentence without a period, borrowed;
 * otherwise returns NULL. */
const char *merge_add(struct merge *merge, const struct recording *recording);

/* Writes the merged recording. Requires at least one recording; none can be added afterwards. Returns false, and prints
 * why, if it cannot be written. */
bool merge_save(struct merge *merge, const char *path);
void merge_fini(struct merge *merge);

#endif
