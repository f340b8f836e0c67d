/* SPDX-License-Identifier: MIT
 *
 * The data structure of a profile, for walker.c and profile_query.c. It does not depend on transactions. */
#ifndef STMLOG_PROFILE_TREE_H
#define STMLOG_PROFILE_TREE_H

#include <stmlog/profile.h>

#include "index.h"

/* Numbers of nodes. No step leads to the root, so its number, 0, also stands for "none". The overflow is in no list of
 * children. */
enum { PROFILE_ROOT, PROFILE_OVERFLOW, PROFILE_FIRST };

struct profile_node {
	uint32_t parent;
	uint32_t site;
	uint32_t depth; /* sites of the node's path */
	uint32_t first_child;
	uint32_t next_sibling; /* unordered until a query sorts the list */
	uint32_t way_count;    /* the node's steps that lead back; those to the overflow are not counted */
	uint64_t calls;
	uint64_t weights[STMLOG_WEIGHTS];
};

/* Invariants: no path has the same piece twice in a row. A node's parent has a lower number. `edges` has each child
 * under (parent, site), and `way_count` further steps, which lead back or to the overflow. Each count is at most its
 * `..._max`. */
struct stmlog_profile {
	struct profile_node *nodes;
	/* Work space of queries and of merging, depth_max + 1 words each. */
	uint32_t *path;
	uint32_t *back;
	struct index edges;
	uint32_t node_end; /* nodes PROFILE_FIRST to node_end - 1 are used */
	uint32_t node_end_max;
	uint32_t way_count;
	uint32_t way_max;
	uint32_t depth_max;
	uint32_t walker_count;
	size_t size; /* bytes allocated, for all parts together */
};

/* Different pairs have different hashes: the hash is the pair times an odd number. */
static inline uint64_t profile_edge_hash(uint32_t from, uint32_t site)
{
	return ((uint64_t)from << 32 | site) * 0x9e3779b97f4a7c15u;
}

/* Returns the node that entering `site` leads to. Makes the node if there is none yet, and counts no call.
 * Requires that `from` is a node, or PROFILE_OVERFLOW. */
uint32_t profile_step(struct stmlog_profile *profile, uint32_t from, uint32_t site);

/* The same if the profile has this step already, otherwise PROFILE_ROOT. Requires that `from` is a node. */
uint32_t profile_known_step(const struct stmlog_profile *profile, uint32_t from, uint32_t site);

#endif
