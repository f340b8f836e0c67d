/* SPDX-License-Identifier: MIT
 *
 * Calling-context profiles: what was spent where, by call path, in bounded memory. For programs and runtimes that know
 * what they enter and leave, an interpreter, say; what the hooks of <stmlog/runtime.h> record needs none of it.
 *
 *   struct stmlog_profile *profile = stmlog_profile_create(4096, 128);
 *   struct stmlog_walker *walker = stmlog_walker_create(profile);
 *   stmlog_walker_enter(walker, SITE_MAIN);
 *   stmlog_walker_enter(walker, SITE_SORT);
 *   stmlog_walker_add(walker, STMLOG_WEIGHT_USEFUL_NS, 100);
 *   stmlog_walker_exit(walker);
 *   stmlog_profile_query(profile, print, NULL);
 *
 * A profile is a tree. A node is a path of sites from the root; it counts how often it was entered, and carries
 * weights. Repetition is folded while it happens, so that recursion does not make the tree deep. A walker stands on
 * node w; the root counts as a site of its own. To enter x:
 *   1. If w has a child x, a child or a way back, that is followed.
 *   2. Otherwise for p = 1, 2, 3 and so on: if the path wx ends in XX with |X| = p, the walker goes to wx without its
 * last X, and a way back from w to there is kept for the next time. The shortest p wins.
 *   3. Otherwise the node wx is made.
 * Then the node arrived at counts one entry more. So no path that is stored has the same piece twice in a row. (After
 * the profiler of fble.)
 *
 * Paths without repetition can be of any length where there are three sites: what would go beyond `nodes` or `depth`
 * goes to the overflow node, which is beside the root; sums stay exact. From there every step leads there.
 *
 * Threads. A profile and its walkers belong to one thread at a time: one profile per thread, merged in the end. Nothing
 * here reads a clock; after creation nothing allocates, but for walkers' stacks (below). NULL for a profile or walker
 * is allowed everywhere, and does nothing.
 */
#ifndef STMLOG_PROFILE_H
#define STMLOG_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stmlog/compiler.h>

STMLOG_BEGIN_DECLS

struct stmlog_profile;

/* Numbers of the caller's choice for functions, lines or blocks; new ones may come at any time. */
#define STMLOG_SITE_ROOT UINT32_MAX           /* not to be entered: a misuse, which leads to the overflow */
#define STMLOG_SITE_OVERFLOW (UINT32_MAX - 1) /* likewise; the only site of the overflow node's path */

enum stmlog_weight {
	STMLOG_WEIGHT_ABORTED_NS,
	STMLOG_WEIGHT_PAUSED_NS,
	STMLOG_WEIGHT_WAITING_NS,
	STMLOG_WEIGHT_USEFUL_NS,
	STMLOG_WEIGHT_OWN, /* the caller's */
	STMLOG_WEIGHTS
};

/* At most `nodes` nodes beside the root and the overflow, of at most `depth` sites each; both at least 1, nodes at most
 * 2^20. NULL without memory or with other numbers. */
STMLOG_API struct stmlog_profile *stmlog_profile_create(size_t nodes, size_t depth);
STMLOG_API void stmlog_profile_destroy(struct stmlog_profile **profile);

/* Entries and weights of a path's own; `sites` begin below the root and are valid during the call only; len 0: the
 * root. */
struct stmlog_profile_path {
	const uint32_t *sites;
	size_t len;
	uint64_t calls;
	uint64_t weights[STMLOG_WEIGHTS];
};

/* Calls back once for each path, a node before its children, those in ascending order of their sites; the overflow
 * node, if anything has come to it, last. The callback must not touch the profile. */
STMLOG_API void stmlog_profile_query(const struct stmlog_profile *profile,
	void (*each)(const struct stmlog_profile_path *path, void *arg), void *arg);

/* How often a site was entered, and from another one: sums over the paths that end so. */
STMLOG_API uint64_t stmlog_profile_calls(const struct stmlog_profile *profile, uint32_t site);
STMLOG_API uint64_t stmlog_profile_calls_from(const struct stmlog_profile *profile, uint32_t from, uint32_t site);

/* Nodes in use, without the root and the overflow; and entries that went to the overflow. */
STMLOG_API size_t stmlog_profile_nodes(const struct stmlog_profile *profile);
STMLOG_API uint64_t stmlog_profile_overflowed(const struct stmlog_profile *profile);

/* Adds all of `from` to `into`. */
STMLOG_API void stmlog_profile_merge(struct stmlog_profile *into, const struct stmlog_profile *from);

/* ---- walkers ---- */

struct stmlog_walker;

/* Stands on the root. Several may walk in one profile. NULL without memory. Destroy before the profile. */
STMLOG_API struct stmlog_walker *stmlog_walker_create(struct stmlog_profile *profile);
STMLOG_API void stmlog_walker_destroy(struct stmlog_walker **walker);

/* Costs a hash lookup where the step was made before, and the length of the path squared the first time. */
STMLOG_API void stmlog_walker_enter(struct stmlog_walker *walker, uint32_t site);

/* A tail call: where it stood before is not kept, so that a loop of them needs no memory. On the root: enters. */
STMLOG_API void stmlog_walker_replace(struct stmlog_walker *walker, uint32_t site);

/* Back to the node held before the enter. On the root: nothing, counted as a misuse. Repetitions of one node on the
 * stack are counted, not stored; where its stack cannot grow the walker stands on the overflow until as many exits have
 * come. */
STMLOG_API void stmlog_walker_exit(struct stmlog_walker *walker);

/* To the node it stands on. */
STMLOG_API void stmlog_walker_add(struct stmlog_walker *walker, enum stmlog_weight weight, uint64_t amount);

/* The path it stands on, at most `most` sites, outermost first; returns its whole length. */
STMLOG_API size_t stmlog_walker_path(const struct stmlog_walker *walker, uint32_t *sites, size_t most);

STMLOG_END_DECLS

#endif
