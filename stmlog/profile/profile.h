/* SPDX-License-Identifier: MIT
 *
 * What a profile is made of, for the files that walk it and those that read it. It knows nothing of transactions. */
#ifndef STMLOG_PROFILE_TREE_H
#define STMLOG_PROFILE_TREE_H

#include <stmlog/profile.h>

#include "index.h"

/* Nodes by number. The root is nobody's child and no way leads back to it, so that its number also says "none". The
 * overflow is in no list of children. */
enum { PROFILE_ROOT, PROFILE_OVERFLOW, PROFILE_FIRST };

struct profile_node {
	uint32_t parent;
	uint32_t site;
	uint32_t depth; /* how many sites the path has */
	uint32_t first_child;
	uint32_t next_sibling; /* in no order but behind a query */
	uint64_t calls;
	uint64_t weights[STMLOG_WEIGHTS];
};

/* Invariants: no path has the same piece twice in a row. A node's parent has a lower number. `edges` has each child
 * under (parent, site), and beside them `way_count` ways that lead elsewhere: back, or to the overflow; all three
 * counts are at most their most. */
struct stmlog_profile {
	struct profile_node *nodes;
	uint32_t *path; /* of what looks at the whole tree, a place for each depth */
	struct index edges;
	uint32_t node_end; /* used ones: PROFILE_FIRST to here */
	uint32_t node_end_most;
	uint32_t way_count;
	uint32_t way_most;
	uint32_t depth_most;
	uint32_t walker_count;
	size_t size; /* of all of it, one piece */
};

/* Two pairs never have the same: it is the pair, times an odd number. */
static inline uint64_t profile_edge_hash(uint32_t from, uint32_t site)
{
	return ((uint64_t)from << 32 | site) * 0x9e3779b97f4a7c15u;
}

/* Where entering `site` leads; makes the node if need be, and counts nothing. */
uint32_t profile_step(struct stmlog_profile *profile, uint32_t from, uint32_t site);

#endif
