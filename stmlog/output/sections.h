/* SPDX-License-Identifier: MIT
 * The sections of the recording file (format.h), in memory: everything that the process has recorded so far. The file
 * and the report are both made from them. */
#ifndef STMLOG_SECTIONS_H
#define STMLOG_SECTIONS_H

#include <stmlog/timeline.h>

#include "buffer.h"
#include "gather.h"
#include "intern.h"
#include "spent.h"

/* The output that the sections are made for. SECTIONS_OF_REPORT fills only what a report shows: info, entries with
 * what they refer to, and what is open. */
enum sections_use { SECTIONS_OF_FILE, SECTIONS_OF_REPORT };

struct sections {
	enum sections_use use;
	const char *file; /* the recording that was made of them; NULL: none */
	struct gathered all;
	struct stmlog_timeline *timeline; /* NULL: no timeline was begun */
	struct spent spent;               /* the source of paths and transactions */
	struct intern intern;             /* strings, modules, sites and tracebacks */
	struct buffer info;
	struct buffer totals;
	struct buffer threads;
	struct buffer entries;
	struct buffer blocks;
	struct buffer places;
	struct buffer paths;
	struct buffer transactions;
	struct buffer blocked;
	struct buffer open;
	struct buffer green;
	struct buffer own_work;
	struct buffer labels;
};

/* Collects everything while threads go on. Takes the registry's lock, and calls the runtime's callbacks. Returns 0, or
 * a negative errno: -EINVAL when the profiler is not open. Call sections_fini() after success only. */
int sections_init(struct sections *sections, enum sections_use use);
void sections_fini(struct sections *sections);

/* Calls the function with new sections, undisturbed (undisturbed.h). Returns the function's result, or the error of
 * sections_init(), in which case the function was not called. */
int sections_run(
	enum sections_use use, int (*function)(const struct sections *sections, const void *arg), const void *arg);

/* Keeps the names that callbacks of runtimes give to all sites and objects of a recording made now: for outputs that
 * are made after the runtime has left (names.h). */
void sections_intern_names(void);

/* Write these sections as stmlog_record() and stmlog_report() do. Requires for
 * sections_record(): SECTIONS_OF_FILE. */
int sections_record(const struct sections *sections, const char *path);

/* Writes a recording into memory. Returns how many bytes it has; NULL: they are only counted. Requires as above. */
size_t sections_record_into(const struct sections *sections, char *memory, size_t room);
int sections_report(const struct sections *sections, int fd);

/* ---- info.c ---- */

/* The file's section INFO. */

/* Adds all keys of the library, and the facts of the runtimes, when all data have been gathered. */
void info_fill(struct sections *sections);

/* Adds a number. Returns 0 or -ENOMEM. */
int sections_say(struct sections *sections, const char *key, uint64_t number);

/* Returns the number of events of the timeline, including the missing ones. */
uint64_t sections_events(const struct sections *sections);

/* ---- blocks.c ---- */

/* The file's section BLOCKS: the allocated blocks that contain objects of the entries. */

/* Adds the block that contains the object, if the runtime finds one that is not in `blocks` yet. `blocks` is an array
 * of struct stmlog_block_record, by ascending addresses. */
void blocks_add(struct buffer *blocks, struct intern *intern, uintptr_t object);

/* ---- under_way.c ---- */

/* The file's section OPEN: the transaction, pause or wait that is under way on each thread. */

/* Appends a record for each transaction or wait that has been under way for a millisecond, 64 at most, the longest
 * first. Takes the registry's lock, and calls the runtimes' callbacks. */
void under_way_record(struct intern *intern, struct buffer *records);

/* ---- share.c ---- */

/* Divides the rows of the account among the entries. If transactions were timed (stmlog_timed()), they tell the rows,
 * and the time that the transactions of each site have lost. The transactions that were measured closely lose less,
 * because looking into a conflict takes longer than many conflicts last. But only they tell the causes. So an entry
 * gets
 *   its share of what the closely measured transactions of its site have lost to the row,
 *   of the time that the timed transactions of the site have lost to it.
 * If a site has too few timed losses, its entries get a share of the losses of all sites together. The estimates of the
 * entries of a row, and of the evicted ones, add up to the row at most. */

/* Replaces the estimates of all->log. If no transaction was timed, they are only cut to fit into the rows. Returns 0,
 * or -ENOMEM. */
int share_rows(struct gathered *all, struct spent *spent);

#endif
