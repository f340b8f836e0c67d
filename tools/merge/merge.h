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

#include "dictionary.h"
#include "recorded_account.h"
#include "recording.h"

/* The section INFO of all recordings, by the rules of info.def. Invariant: texts and lists are copies of its own. */
struct merge_info {
	bool is_one_run; /* of several processes, whose times are on one clock */
	bool is_begun;
	struct recording_info sum; /* without lists; began_ns and unix_ns of the run that began first */
	double variance_ns2;       /* of all that was lost */
	struct recorded_account account;
	bool has_args; /* all have the same ones */
	struct recording_list args, options;
};

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

/* ---- merge_info.c: the section INFO ---- */

/* Why the recording cannot be merged with those before it: another program, runtime, clock or way of measuring, or
 * sums above 2^64. NULL: it can. */
const char *merge_info_mismatch(const struct merge_info *info, const struct recording *recording);
void merge_info_add(struct merge_info *info, const struct recording *recording);

/* Returns the section; the caller frees it. */
char *merge_info_text(const struct merge_info *info, size_t *len);
void merge_info_fini(struct merge_info *info);

/* merge_time() puts a time on the scale of the time of day, which all runs share; merge_time_back() puts it on the
 * clock of the run that began first. Both are modulo 2^64, so that a wrong time of a recording is restored as it was.
 * In one run they change nothing. */
static inline uint64_t merge_time(const struct merge_info *info, const struct recording *recording, uint64_t ns)
{
	return info->is_one_run ? ns : ns - recording->info.began_ns + recording->info.unix_ns;
}

static inline uint64_t merge_time_back(const struct merge_info *info, uint64_t ns)
{
	return info->is_one_run ? ns : ns - info->sum.unix_ns + info->sum.began_ns;
}

static inline bool merge_is_earlier(uint64_t ns, uint64_t other_ns)
{
	return (int64_t)(ns - other_ns) < 0;
}

#endif
