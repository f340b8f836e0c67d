/* SPDX-License-Identifier: MIT
 *
 * Paths: where the time of one thread went, by traceback. A timelog keeps the costliest losses; paths have all losses,
 * and commits, too. The thread writes. Other threads read while it goes on, each word by itself. A later thread that
 * uses the record adds to the same paths. Paths exist only with the option paths=on, because each commit has to look up
 * a traceback.
 */
#ifndef STMLOG_PATHS_H
#define STMLOG_PATHS_H

#include <stdbool.h>

#include <atomic_ops.h>

#include "places.h"

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
