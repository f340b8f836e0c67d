/* SPDX-License-Identifier: MIT
 *
 * Where the time of one thread went, by traceback: all of it, where the timelog keeps the costliest. Written by the
 * thread, read by others while it goes on: each word for itself. It stays when its thread has ended, and a later one
 * adds to it. Only where the option paths=on asks for it: a traceback has to be found again for each commit.
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
	volatile AO_t surplus_ns[PATH_KINDS]; /* what it has cost others, by their weights (account.h) */
};

/* Invariant: costs[i] are of the place with number i, whose word is NULL; costs[0] of what is not known. */
struct paths {
	volatile AO_t len; /* places that may be read; stored with release order; partner: paths_each() */
	bool is_busy;      /* a signal handler that finds it set has interrupted ourselves */
	struct places places;
	struct path_cost costs[PLACES_MOST];
	struct path_cost overflow;     /* of what got no number */
	struct path_cost interrupting; /* likewise, of signal handlers that have interrupted ourselves */
};

/* NULL without memory. */
struct paths *paths_create(void);
void paths_destroy(struct paths **paths, struct tb_stack *stack);

/* Owner. `extra` as in account.h. */
void paths_add(struct paths *paths, struct tb_frame *traceback, enum path_kind kind, uint64_t ns, uint32_t extra);

/* Empties it; of a thread that is alone. */
void paths_clear(struct paths *paths, struct tb_stack *stack);

/* Any thread, while the stack of the owner exists: calls back for each path that has anything; `is_overflow`: for
 * which there was no room. The traceback stays as long as `paths`. */
void paths_each(const struct paths *paths,
	void (*each)(const struct tb_frame *traceback, bool is_overflow, const struct path_cost *cost, void *arg),
	void *arg);

#endif
