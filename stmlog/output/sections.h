/* SPDX-License-Identifier: MIT
 * The sections of the recording file (format.h), in memory: everything that the process has recorded so far. The file
 * and the report are both made from them. Before them stand the data of all threads, from which they are made. */
#ifndef STMLOG_SECTIONS_H
#define STMLOG_SECTIONS_H

#include <stmlog/format.h>
#include <stmlog/timeline.h>
#include <stmlog/traceback.h>

#include "buffer.h"
#include "index.h"
#include "registry.h"
#include "tries.h"

/* ---- gather.c: figures and entries ----
 *
 * The figures of all threads, and their entries, merged by key. The threads go on meanwhile. */

struct gathered {
	struct tb_stack *stack;
	struct stmlog_timelog *log;     /* large enough for all entries: merging evicts no entry */
	struct thread_figures *threads; /* ordered by id; the registry's remainder first, if it has threads */
	size_t threads_len;
	size_t threads_size; /* bytes allocated */
	struct thread_figures total;
	uint64_t threads_dropped; /* number of threads in the remainder */
	uint64_t logs_unread;     /* attached threads whose account or timelog could not be read */
	uint64_t killed_within;   /* attached threads that were killed in the middle of a hook */
	uint64_t refused;         /* attaches that were refused (registry.h) */
	uint64_t misuses;
	uint64_t probe_cost_ns;   /* of all clock readings; 0: not measured */
	uint64_t origins_cost_ns; /* of all origins; 0: none was timed */
	uint64_t wall_ns;
};

/* Reads all threads of the process. `began_ns`: when the session was opened. Returns 0 or -ENOMEM. Call gathered_fini()
 * after success only. Takes the registry's lock. */
int gather(struct gathered *gathered, uint64_t began_ns);

/* Frees the memory that gather() has allocated. */
void gathered_fini(struct gathered *gathered);

/* ---- intern.c ----
 *
 * The sections of a recording whose elements other sections refer to: strings, modules, sites and tracebacks. Each is
 * stored once and numbered as in format.h. After an error all functions return 0; the caller checks intern_has_failed()
 * once, at the end. A struct intern has no lock: only one thread may use it. */

/* The hash table of one section. */
struct pool {
	struct index index;
	void *storage;
	size_t storage_size;
	uint32_t *offsets; /* of each element in its section; in `storage` */
	uint32_t len;
	uint32_t max;
};

struct intern {
	struct buffer strings;
	struct buffer modules;
	struct buffer sites;
	struct buffer tracebacks;
	struct pool string_pool;
	struct pool site_pool;
	struct pool traceback_pool;
	size_t depth; /* number of frames that are stored of a traceback */
	bool has_failed;
};

/* Makes room for `tracebacks` tracebacks, which are cut at `depth` frames, and for `strings` strings besides the names
 * of sites. Adds all modules of the process. Call intern_fini() even if intern_has_failed() afterwards. */
void intern_init(struct intern *intern, size_t tracebacks, size_t depth, size_t strings);
void intern_fini(struct intern *intern);

/* Each returns the reference of an equal element, which is added if there is none yet. */
uint32_t intern_string(struct intern *intern, const char *text);
uint32_t intern_site(struct intern *intern, struct tb_site site);
uint32_t intern_traceback(struct intern *intern, const struct tb_frame *traceback);
uint32_t intern_copy(struct intern *intern, const struct tb_copy *traceback);

bool intern_has_failed(const struct intern *intern);

/* ---- gather.c: paths and transactions ----
 *
 * The paths and the distributions of transactions of all threads, also of those that have ended. Equal tracebacks and
 * sites of several threads are still several rows; record_paths() and the like merge them. */

struct spent_path {
	const struct tb_frame *traceback; /* valid until the session is closed */
	struct stmlog_path_record record; /* without traceback */
};

struct spent {
	struct spent_path *paths;
	struct tries_site *tries; /* some have only losses, without a commit */
	size_t path_count, tries_count;
	struct buffer path_rows, tries_rows; /* the memory of both */
};

/* Returns 0, or -ENOMEM with an empty *spent. Takes the registry's lock. */
int spent_gather(struct spent *spent);
void spent_fini(struct spent *spent);

/* The file's sections PATHS, TRANSACTIONS and BLOCKED. Append one record for each traceback, and for each site. All
 * change the rows of `spent`. */
void record_paths(struct spent *spent, struct intern *intern, struct buffer *paths);
void record_tries(struct spent *spent, struct intern *intern, struct buffer *transactions, struct buffer *blocked);

/* ---- sections.c, record.c, report.c ---- */

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

/* For the section BLOCKS: adds the allocated block that contains an object of an entry, if the runtime finds a block
 * that is not in `blocks` yet. `blocks` is an array of struct stmlog_block_record, by ascending addresses. */
void blocks_add(struct buffer *blocks, struct intern *intern, uintptr_t object);

/* ---- info.c ---- */

/* The file's section INFO. */

/* Adds all keys of the library, and the facts of the runtimes, when all data have been gathered. */
void info_fill(struct sections *sections);

/* Adds a number. Returns 0 or -ENOMEM. */
int sections_say(struct sections *sections, const char *key, uint64_t number);

/* Returns the number of events of the timeline, including the missing ones. */
uint64_t sections_events(const struct sections *sections);

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
