/* SPDX-License-Identifier: MIT
 *
 * Reads whole profiles: lists paths in order, sums up, and merges one profile into another. No other function sorts the
 * children of a node. */
#include "profile.h"

#include "check.h"

/* ---- children in order ---- */

/* Merges two sorted lists, which are not empty. Returns the first node. */
static uint32_t merge_lists(struct profile_node *nodes, uint32_t left, uint32_t right)
{
	uint32_t first = 0, *link = &first;
	while (left != 0 && right != 0) {
		uint32_t *lower = nodes[left].site < nodes[right].site ? &left : &right;
		*link = *lower;
		link = &nodes[*lower].next_sibling;
		*lower = *link;
	}
	*link = left != 0 ? left : right;
	return first;
}

/* A merge sort: runs[i] is a sorted list of 2^i nodes, or empty. */
static uint32_t sort_list(struct profile_node *nodes, uint32_t first)
{
	uint32_t runs[33] = {0}, sorted = 0;
	size_t i;
	while (first != 0) {
		uint32_t run = first;
		first = nodes[run].next_sibling;
		nodes[run].next_sibling = 0;
		for (i = 0; runs[i] != 0; i++) {
			run = merge_lists(nodes, runs[i], run);
			runs[i] = 0;
		}
		runs[i] = run;
	}
	for (i = 0; i < sizeof runs / sizeof runs[0]; i++) {
		if (runs[i] != 0)
			sorted = sorted != 0 ? merge_lists(nodes, runs[i], sorted) : runs[i];
	}
	return sorted;
}

/* Returns the next node, parents first; PROFILE_ROOT: there is none. Sorts the children of `at`. */
static uint32_t next_node(const struct stmlog_profile *profile, uint32_t at)
{
	struct profile_node *nodes = profile->nodes;
	nodes[at].first_child = sort_list(nodes, nodes[at].first_child);
	if (nodes[at].first_child != 0)
		return nodes[at].first_child;
	while (at != PROFILE_ROOT && nodes[at].next_sibling == 0)
		at = nodes[at].parent;
	return nodes[at].next_sibling;
}

/* ---- queries ---- */

static struct stmlog_profile_path path_of(const struct profile_node *node, const uint32_t *sites)
{
	struct stmlog_profile_path path = {.sites = sites, .len = node->depth, .calls = node->calls};
	for (size_t i = 0; i < STMLOG_WEIGHTS; i++)
		path.weights[i] = node->weights[i];
	return path;
}

/* Returns the first of `to` and its ancestors to which a way leads back from the node; it is for the last site of that
 * one's path. Requires that there is one. */
static uint32_t way_at_or_above(const struct stmlog_profile *profile, uint32_t from, uint32_t to)
{
	REQUIRES(to != PROFILE_ROOT);
	while (profile_known_step(profile, from, profile->nodes[to].site) != to)
		to = profile->nodes[to].parent;
	return to;
}

/* Sets profile->back to the lengths of the paths to which ways lead back from the node, ascending. */
static void find_ways(const struct stmlog_profile *profile, uint32_t from)
{
	const struct profile_node *nodes = profile->nodes;
	uint32_t to = from;
	for (size_t left = nodes[from].way_count; left > 0; to = nodes[to].parent) {
		to = way_at_or_above(profile, from, to);
		profile->back[--left] = nodes[to].depth;
	}
}

static bool has_anything(const struct profile_node *node)
{
	uint64_t all_bits = node->calls;
	for (size_t i = 0; i < STMLOG_WEIGHTS; i++)
		all_bits |= node->weights[i];
	return all_bits != 0;
}

void stmlog_profile_query(const struct stmlog_profile *profile,
	void (*each)(const struct stmlog_profile_path *path, void *arg), void *arg)
{
	if (profile == NULL || each == NULL)
		return;
	uint32_t at = PROFILE_ROOT;
	do {
		const struct profile_node *node = &profile->nodes[at];
		if (at != PROFILE_ROOT)
			profile->path[node->depth - 1] = node->site;
		struct stmlog_profile_path path = path_of(node, profile->path);
		path.back = profile->back;
		path.back_count = node->way_count;
		find_ways(profile, at);
		each(&path, arg);
		at = next_node(profile, at);
	} while (at != PROFILE_ROOT);
	const struct profile_node *overflow = &profile->nodes[PROFILE_OVERFLOW];
	struct stmlog_profile_path path = path_of(overflow, &overflow->site);
	if (has_anything(overflow))
		each(&path, arg);
}

uint64_t stmlog_profile_calls(const struct stmlog_profile *profile, uint32_t site)
{
	uint64_t calls = 0;
	for (uint32_t i = PROFILE_ROOT; profile != NULL && i < profile->node_end; i++) {
		if (profile->nodes[i].site == site)
			calls += profile->nodes[i].calls;
	}
	return calls;
}

uint64_t stmlog_profile_calls_from(const struct stmlog_profile *profile, uint32_t from, uint32_t site)
{
	uint64_t calls = 0;
	for (uint32_t i = PROFILE_FIRST; profile != NULL && i < profile->node_end; i++) {
		const struct profile_node *node = &profile->nodes[i];
		if (node->site == site && profile->nodes[node->parent].site == from)
			calls += node->calls;
	}
	return calls;
}

size_t stmlog_profile_nodes(const struct stmlog_profile *profile)
{
	return profile != NULL ? profile->node_end - PROFILE_FIRST : 0;
}

uint64_t stmlog_profile_overflowed(const struct stmlog_profile *profile)
{
	return profile != NULL ? profile->nodes[PROFILE_OVERFLOW].calls : 0;
}

/* ---- merging ---- */

static void add_node(struct profile_node *into, const struct profile_node *from)
{
	into->calls += from->calls;
	for (size_t i = 0; i < STMLOG_WEIGHTS; i++)
		into->weights[i] += from->weights[i];
}

/* Gives the node `copy` of `into` the ways back of the node `at`, whose path is the same. Entering the site of a way
 * leads back in `into` as well, because the rule depends on the path alone. */
static void merge_ways(struct stmlog_profile *into, uint32_t copy, const struct stmlog_profile *from, uint32_t at)
{
	const struct profile_node *nodes = from->nodes;
	uint32_t to = at;
	for (size_t left = nodes[at].way_count; left > 0; left--, to = nodes[to].parent) {
		to = way_at_or_above(from, at, to);
		profile_step(into, copy, nodes[to].site);
	}
}

/* Each path of `from` is entered into `into`, step by step. The path has no repetition, so it leads to the node of the
 * same path or, without room, to the overflow. `reached` has the nodes in `into` of the path's ancestors. If both are
 * the same profile, no node is new. */
void stmlog_profile_merge(struct stmlog_profile *into, const struct stmlog_profile *from)
{
	if (into == NULL || from == NULL)
		return;
	uint32_t *reached = from->path;
	add_node(&into->nodes[PROFILE_ROOT], &from->nodes[PROFILE_ROOT]);
	for (uint32_t at = next_node(from, PROFILE_ROOT); at != PROFILE_ROOT; at = next_node(from, at)) {
		const struct profile_node *node = &from->nodes[at];
		reached[node->depth] =
			profile_step(into, node->depth > 1 ? reached[node->depth - 1] : PROFILE_ROOT, node->site);
		add_node(&into->nodes[reached[node->depth]], node);
		merge_ways(into, reached[node->depth], from, at);
	}
	add_node(&into->nodes[PROFILE_OVERFLOW], &from->nodes[PROFILE_OVERFLOW]);
}
