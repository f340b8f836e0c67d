/* SPDX-License-Identifier: MIT
 *
 * Grows the tree of a profile by steps. All memory is allocated at creation, so that a step is safe anywhere in a
 * program. */
#include "profile.h"

#include "check.h"
#include "mem.h"
#include "misuse.h"

enum { NODES_MAX = 1 << 20 };

/* One piece of memory for all parts, in the order of their alignment. */
static size_t size_for(uint32_t nodes, uint32_t depth)
{
	return sizeof(struct stmlog_profile) + (nodes + PROFILE_FIRST) * sizeof(struct profile_node) +
	       index_storage_size(2 * nodes) + 2 * (depth + 1) * sizeof(uint32_t);
}

static void lay_out(struct stmlog_profile *profile, uint32_t nodes, uint32_t depth)
{
	profile->nodes = (struct profile_node *)(profile + 1);
	char *edges = (char *)(profile->nodes + nodes + PROFILE_FIRST);
	index_init(&profile->edges, 2 * nodes, edges);
	profile->path = (uint32_t *)(void *)(edges + index_storage_size(2 * nodes));
	profile->back = profile->path + depth + 1;
	profile->node_end = PROFILE_FIRST;
	profile->node_end_max = nodes + PROFILE_FIRST;
	profile->way_max = nodes;
	profile->depth_max = depth;
	profile->nodes[PROFILE_ROOT].site = STMLOG_SITE_ROOT;
	profile->nodes[PROFILE_OVERFLOW] = (struct profile_node){.site = STMLOG_SITE_OVERFLOW, .depth = 1};
}

struct stmlog_profile *stmlog_profile_create(size_t nodes, size_t depth)
{
	if (nodes == 0 || nodes > NODES_MAX || depth == 0)
		return NULL;
	/* A path has no more sites than there are nodes. */
	uint32_t deepest = (uint32_t)(depth < nodes ? depth : nodes);
	size_t size = size_for((uint32_t)nodes, deepest);
	struct stmlog_profile *profile = mem_alloc(size);
	if (profile == NULL)
		return NULL;
	profile->size = size;
	lay_out(profile, (uint32_t)nodes, deepest);
	return profile;
}

void stmlog_profile_destroy(struct stmlog_profile **profile)
{
	if (profile == NULL || *profile == NULL)
		return;
	if ((*profile)->walker_count != 0) {
		misuse_count("stmlog_profile_destroy of a profile with walkers");
		return;
	}
	mem_free(*profile, (*profile)->size);
	*profile = NULL;
}

/* ---- a step ---- */

uint32_t profile_known_step(const struct stmlog_profile *profile, uint32_t from, uint32_t site)
{
	REQUIRES(from < profile->node_end);
	struct index_cursor cursor = index_find(&profile->edges, profile_edge_hash(from, site));
	uint32_t to;
	return index_next(&cursor, &to) ? to : PROFILE_ROOT;
}

/* Whether the path of `from`, followed by `site`, ends in the same `len` sites as the path of `earlier`. Requires that
 * the path of `earlier` has at least so many. */
static bool is_repeated(const struct profile_node *nodes, uint32_t from, uint32_t site, uint32_t earlier, uint32_t len)
{
	REQUIRES(len <= nodes[earlier].depth);
	if (nodes[earlier].site != site)
		return false;
	for (uint32_t i = 1; i < len; i++, from = nodes[from].parent) {
		earlier = nodes[earlier].parent;
		if (nodes[earlier].site != nodes[from].site)
			return false;
	}
	return true;
}

/* Returns the node of the path without the shortest repetition at its end; the root: there is no repetition. */
static uint32_t way_back(const struct profile_node *nodes, uint32_t from, uint32_t site)
{
	uint32_t to = from;
	for (uint32_t len = 1; len <= nodes[to].depth; len++, to = nodes[to].parent) {
		if (is_repeated(nodes, from, site, to, len))
			return to;
	}
	return PROFILE_ROOT;
}

static void add_way(struct stmlog_profile *profile, uint32_t from, uint32_t site, uint32_t to)
{
	if (profile->way_count == profile->way_max)
		return;
	index_add(&profile->edges, profile_edge_hash(from, site), to);
	profile->nodes[from].way_count += to != PROFILE_OVERFLOW;
	profile->way_count++;
}

static uint32_t make_child(struct stmlog_profile *profile, uint32_t parent, uint32_t site)
{
	uint32_t made = profile->node_end++;
	struct profile_node *above = &profile->nodes[parent];
	profile->nodes[made] = (struct profile_node){
		.parent = parent, .site = site, .depth = above->depth + 1, .next_sibling = above->first_child};
	above->first_child = made;
	index_add(&profile->edges, profile_edge_hash(parent, site), made);
	return made;
}

static uint32_t new_step(struct stmlog_profile *profile, uint32_t from, uint32_t site)
{
	uint32_t to = way_back(profile->nodes, from, site);
	bool has_room = profile->node_end < profile->node_end_max && profile->nodes[from].depth < profile->depth_max;
	if (to == PROFILE_ROOT && has_room)
		return make_child(profile, from, site);
	if (to == PROFILE_ROOT)
		to = PROFILE_OVERFLOW;
	add_way(profile, from, site, to);
	return to;
}

uint32_t profile_step(struct stmlog_profile *profile, uint32_t from, uint32_t site)
{
	REQUIRES(from < profile->node_end);
	if (from == PROFILE_OVERFLOW)
		return PROFILE_OVERFLOW;
	if (site >= STMLOG_SITE_OVERFLOW) {
		misuse_count("a site entered that is not to be entered");
		return PROFILE_OVERFLOW;
	}
	uint32_t to = profile_known_step(profile, from, site);
	return to != PROFILE_ROOT ? to : new_step(profile, from, site);
}
