/* SPDX-License-Identifier: MIT
 * Places: tracebacks, each with a word, that one thread has numbered; and paths: where the time of the thread went, by
 * traceback. One thread writes, others read while it goes on. */
#ifndef STMLOG_PLACES_H
#define STMLOG_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <atomic_ops.h>

#include <stmlog/compiler.h>
#include <stmlog/traceback.h>

/* ---- places ----
 *
 * Pairs of a traceback and a word, numbered as they come, so that an event needs 32 bits for both. A row with a number
 * never changes.
 *
 * Invariants: rows[1 .. len) are different and hold a reference to their tracebacks; row 0 is the unknown place;
 * recent[] has numbers of rows, or 0.
 * Partners: a row is stored before its number is published with release order.
 */

#define PLACES_MAX 4096
#define PLACES_RECENT 64

struct places_row {
	struct tb_frame *traceback;
	const char *word;
};

struct places {
	uint32_t len;
	uint32_t last;                  /* the last number returned that was not 0 */
	uint64_t refused;               /* how often no number was left */
	uint16_t recent[PLACES_RECENT]; /* cache of numbers, by the innermost site of the traceback */
	uint16_t index[2 * PLACES_MAX]; /* hash table of numbers, by the traceback's sites; 0: free */
	struct places_row rows[PLACES_MAX];
};

/* Releases all references into `stack`, and empties the table. Zeroed memory is an empty table. */
void places_clear(struct places *places, struct tb_stack *stack);

/* The slow path of places_number(). */
uint32_t places_number_on(struct places *places, struct tb_frame *traceback, const char *word);

/* Returns the number of a place, which is new if the place has none yet. 0: there is no room, or the traceback is
 * unknown and the word NULL. `traceback` is borrowed. Words are compared by address. */
static inline uint32_t places_number(struct places *places, struct tb_frame *traceback, const char *word)
{
	const struct places_row *last = &places->rows[places->last];
	if (STMLOG_LIKELY(traceback == last->traceback && word == last->word))
		return places->last;
	return tb_is_unknown(traceback) && word == NULL ? 0 : places_number_on(places, traceback, word);
}

/* ---- paths ----
 *
 * Where the time of one thread went, by traceback. A timelog keeps the costliest losses; paths have all losses, and
 * commits, too. Other threads read each word by itself. A later thread that uses the record adds to the same paths.
 * Paths exist only with the option paths=on, because each commit has to look up a traceback.
 */

enum path_kind { PATH_COMMITTED, PATH_ABORTED, PATH_PAUSED, PATH_WAITING, PATH_KINDS };

struct path_cost {
	volatile AO_t count[PATH_KINDS];
	volatile AO_t ns[PATH_KINDS];
	volatile AO_t surplus[PATH_KINDS];    /* of counts: of unmeasured transactions, estimated as in account.h */
	volatile AO_t surplus_ns[PATH_KINDS]; /* of times, likewise */
};

/* Invariant: costs[i] is of the traceback of place number i in `places`, where all words are NULL; costs[0] is of
 * unknown tracebacks. */
struct paths {
	volatile AO_t len; /* places that may be read; stored with release order; partner: paths_each() */
	struct places places;
	struct path_cost costs[PLACES_MAX];
	struct path_cost overflow; /* of tracebacks without a number */
};

/* Creates empty paths. Returns NULL without memory. */
struct paths *paths_create(void);

/* `stack`, here and below: the owner's, of whose frames the tracebacks consist. */
void paths_destroy(struct paths **paths, struct tb_stack *stack);

/* Called by the owner only. `extra`: the extra_weight of the owner's account. */
void paths_add(struct paths *paths, struct tb_frame *traceback, enum path_kind kind, uint64_t ns, uint32_t extra);

/* Empties the paths, in a forked child, where no other thread reads them. */
void paths_clear(struct paths *paths, struct tb_stack *stack);

/* Calls `each` for each path with a count. `is_overflow`: there was no room for the traceback, which is then
 * TB_UNKNOWN. Any thread, while the owner's stack exists. The traceback stays valid as long as `paths`. */
void paths_each(const struct paths *paths,
	void (*each)(const struct tb_frame *traceback, bool is_overflow, const struct path_cost *cost, void *arg),
	void *arg);

#endif
