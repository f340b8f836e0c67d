/* SPDX-License-Identifier: MIT
 *
 * Calling-context profiles: calls and costs by call path, in bounded memory. For programs and runtimes that can report
 * each function they enter and leave, such as an interpreter. Independent of transactions and of <stmlog/runtime.h>.
 *
 *   struct stmlog_profile *profile = stmlog_profile_create(4096, 128);
 *   struct stmlog_walker *walker = stmlog_walker_create(profile);
 *   stmlog_walker_enter(walker, SITE_MAIN);
 *   stmlog_walker_enter(walker, SITE_SORT);
 *   stmlog_walker_add(walker, STMLOG_WEIGHT_USEFUL_NS, 100);
 *   stmlog_walker_exit(walker);
 *   stmlog_profile_query(profile, print, NULL);
 *
 * A profile is a tree. A node is a path of sites from the root. It counts how often it was entered, and has weights.
 * Repetitions are folded at once, so that recursion does not make the tree deep. Let a walker stand on node w (the root
 * counts as a site of its own). To enter x:
 *   1. If w has a child or a way back for x, the walker follows it.
 *   2. Otherwise for p = 1, 2, 3 and so on: if the path wx ends in XX with |X| = p, the walker goes to the node of wx
 *      without its last X, and the profile keeps a way back from w to that node for x. The shortest p wins.
 *   3. Otherwise the profile makes the node wx.
 * Then the node that was reached counts one more call. So no path in the tree has the same piece twice in a row. (After
 * the profiler of fble.)
 *
 * With three sites there are paths without repetition of any length. A step that would exceed `nodes` or `depth` leads
 * to the overflow node, which is beside the root. So sums stay exact. Every step from the overflow node leads to the
 * overflow node again.
 *
 * Threads. A profile and its walkers belong to one thread at a time: have one profile for each thread, and merge them
 * in the end. No function reads a clock. After creation only a walker's stack may allocate. A profile or walker that is
 * NULL is allowed everywhere: the call does nothing.
 */
#ifndef STMLOG_PROFILE_H
#define STMLOG_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stmlog/compiler.h>
#include <stmlog/setup.h> /* struct stmlog_name */

STMLOG_BEGIN_DECLS

struct stmlog_profile;

/* Sites are numbers of the caller's choice for functions, lines or blocks. New ones may come at any time. The two
 * sites below cannot be entered: to enter them is a caller's mistake, and leads to the overflow node. */
#define STMLOG_SITE_ROOT UINT32_MAX
#define STMLOG_SITE_OVERFLOW (UINT32_MAX - 1) /* the only site of the overflow node's path */

enum stmlog_weight {
	STMLOG_WEIGHT_ABORTED_NS,
	STMLOG_WEIGHT_PAUSED_NS,
	STMLOG_WEIGHT_WAITING_NS,
	STMLOG_WEIGHT_USEFUL_NS,
	STMLOG_WEIGHT_OWN, /* the caller's */
	STMLOG_WEIGHTS
};

/* Creates a profile of at most `nodes` nodes beside the root and the overflow, with paths of at most `depth` sites.
 * Both are at least 1, nodes at most 2^20. Returns NULL for other numbers, and without memory. */
STMLOG_API struct stmlog_profile *stmlog_profile_create(size_t nodes, size_t depth);

/* Destroys a profile, and sets *profile to NULL. Requires that all its walkers are destroyed; otherwise it is a
 * caller's mistake, which changes nothing. */
STMLOG_API void stmlog_profile_destroy(struct stmlog_profile **profile);

/* Calls and weights of one node, without those of its children. `sites` is the path below the root, outermost first,
 * valid only during the callback. len 0: the root. */
struct stmlog_profile_path {
	const uint32_t *sites;
	size_t len;
	uint64_t calls;
	uint64_t weights[STMLOG_WEIGHTS];
	/* The ways back from this node. Each leads to the node of a prefix of this path, and is for the last site of
	 * the prefix. `back` has the lengths of these prefixes, ascending, and is valid as long as `sites`. */
	const uint32_t *back;
	size_t back_count;
};

/* Calls `each` once for each node: a node before its children, children in ascending order of their sites, the overflow
 * node last if it has calls or weights. The callback must not touch the profile. */
STMLOG_API void stmlog_profile_query(const struct stmlog_profile *profile,
	void (*each)(const struct stmlog_profile_path *path, void *arg), void *arg);

/* How often a site was entered, and how often directly from the site `from`: sums over all paths that end in `site`,
 * and in `from`, `site`. */
STMLOG_API uint64_t stmlog_profile_calls(const struct stmlog_profile *profile, uint32_t site);
STMLOG_API uint64_t stmlog_profile_calls_from(const struct stmlog_profile *profile, uint32_t from, uint32_t site);

/* How many nodes there are, without the root and the overflow node; and the calls of the overflow node. */
STMLOG_API size_t stmlog_profile_nodes(const struct stmlog_profile *profile);
STMLOG_API uint64_t stmlog_profile_overflowed(const struct stmlog_profile *profile);

/* Adds all of `from` to `into`. */
STMLOG_API void stmlog_profile_merge(struct stmlog_profile *into, const struct stmlog_profile *from);

/* Writes the profile to a file for `go tool pprof` and other programs that read pprof's format. A sample is a node that
 * has calls or weights, and its values are `calls`, `aborted`, `paused`, `waiting` and `useful` (in ns), and `own`: so
 * their sums are those of stmlog_profile_query(). pprof shows `useful` unless -sample_index= names another.
 *
 * `name` names a site: it fills in the zeroed *name and returns true, or returns false if it cannot. It is called once
 * for each site, and must not touch the profile. A site without a name is "site 7"; so are all if `name` is NULL.
 *
 * The file is written under a temporary name beside `path`, and renamed, so that it is there as a whole or not at all;
 * a pipe or a device is written directly. It is not compressed. `path` must not be NULL. Allocates memory, and frees
 * it; keeps errno. Returns 0, also for a profile that is NULL, or a negative errno. */
STMLOG_API int stmlog_profile_write_pprof(const struct stmlog_profile *profile, const char *path,
	bool (*name)(uint32_t site, struct stmlog_name *name, void *arg), void *arg);

/* ---- walkers ---- */

struct stmlog_walker;

/* Creates a walker that stands on the root. A profile may have several. Returns NULL without memory. Destroy walkers
 * before their profile. */
STMLOG_API struct stmlog_walker *stmlog_walker_create(struct stmlog_profile *profile);
STMLOG_API void stmlog_walker_destroy(struct stmlog_walker **walker);

/* Enters a site. Costs a hash lookup; the first time, the square of the path's length. */
STMLOG_API void stmlog_walker_enter(struct stmlog_walker *walker, uint32_t site);

/* A tail call: as enter, but exit will not come back to the node that the walker leaves. So a loop of tail calls needs
 * no memory. On the root: as enter. */
STMLOG_API void stmlog_walker_replace(struct stmlog_walker *walker, uint32_t site);

/* Goes back to the node before the enter. On the root it is a caller's mistake. The walker's stack counts repetitions
 * of one node and does not store them. If the stack cannot grow, the walker stands on the overflow node until as many
 * exits have come as enters did not fit. */
STMLOG_API void stmlog_walker_exit(struct stmlog_walker *walker);

/* Adds to a weight of the node that the walker stands on. */
STMLOG_API void stmlog_walker_add(struct stmlog_walker *walker, enum stmlog_weight weight, uint64_t amount);

/* Copies the walker's path, outermost site first, at most `max` sites. Returns the whole length of the path. */
STMLOG_API size_t stmlog_walker_path(const struct stmlog_walker *walker, uint32_t *sites, size_t max);

STMLOG_END_DECLS

#endif
