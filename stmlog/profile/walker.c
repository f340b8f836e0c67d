/* SPDX-License-Identifier: MIT
 *
 * Moves walkers. A walker has the node that a thread stands on, and the stack of nodes to which exits return. */
#include <errno.h>
#include <string.h>

#include "mem.h"
#include "misuse.h"
#include "profile.h"

enum { RUNS_AT_FIRST = 128 };

/* `len` equal nodes in a row. */
struct run {
	uint64_t len;
	uint32_t node;
};

/* A stack of nodes, as runs. Invariants: the first run is the root, once; neighbouring runs have different nodes. If
 * beyond == 0, the walker stands on the last run's node. Otherwise it stands on the overflow, and `beyond` nodes did
 * not fit into the stack. */
struct stmlog_walker {
	struct stmlog_profile *profile;
	struct run *runs;
	size_t run_count;
	size_t run_max;
	uint64_t beyond;
};

struct stmlog_walker *stmlog_walker_create(struct stmlog_profile *profile)
{
	if (profile == NULL)
		return NULL;
	struct stmlog_walker *walker = mem_alloc(sizeof *walker);
	if (walker == NULL)
		return NULL;
	walker->runs = mem_alloc(RUNS_AT_FIRST * sizeof *walker->runs);
	if (walker->runs == NULL) {
		mem_free(walker, sizeof *walker);
		return NULL;
	}
	walker->profile = profile;
	walker->run_max = RUNS_AT_FIRST;
	walker->runs[0] = (struct run){.len = 1, .node = PROFILE_ROOT};
	walker->run_count = 1;
	profile->nodes[PROFILE_ROOT].calls++;
	profile->walker_count++;
	return walker;
}

void stmlog_walker_destroy(struct stmlog_walker **walker)
{
	if (walker == NULL || *walker == NULL)
		return;
	(*walker)->profile->walker_count--;
	mem_free((*walker)->runs, (*walker)->run_max * sizeof *(*walker)->runs);
	mem_free(*walker, sizeof **walker);
	*walker = NULL;
}

static struct run *last(const struct stmlog_walker *walker)
{
	return &walker->runs[walker->run_count - 1];
}

static uint32_t standing(const struct stmlog_walker *walker)
{
	return walker->beyond != 0 ? PROFILE_OVERFLOW : last(walker)->node;
}

static bool is_on_root(const struct stmlog_walker *walker)
{
	return walker->run_count == 1 && walker->beyond == 0;
}

/* Keeps errno. Returns false without memory. */
static bool grow(struct stmlog_walker *walker)
{
	int saved = errno;
	size_t size = walker->run_max * sizeof *walker->runs;
	struct run *runs = mem_alloc(2 * size);
	errno = saved;
	if (runs == NULL)
		return false;
	memcpy(runs, walker->runs, size);
	mem_free(walker->runs, size);
	walker->runs = runs;
	walker->run_max *= 2;
	return true;
}

static void push(struct stmlog_walker *walker, uint32_t node)
{
	if (last(walker)->node == node)
		last(walker)->len++;
	else
		walker->runs[walker->run_count++] = (struct run){.len = 1, .node = node};
}

static void pop(struct stmlog_walker *walker)
{
	if (walker->beyond != 0)
		walker->beyond--;
	else if (--last(walker)->len == 0)
		walker->run_count--;
}

/* Steps to the site. Makes room in the stack first: otherwise the step could make a node that the walker does not
 * reach. */
static void go(struct stmlog_walker *walker, uint32_t from, uint32_t site)
{
	struct stmlog_profile *profile = walker->profile;
	uint32_t to = PROFILE_OVERFLOW;
	if (walker->beyond != 0 || (walker->run_count == walker->run_max && !grow(walker))) {
		walker->beyond++;
	} else {
		to = profile_step(profile, from, site);
		push(walker, to);
	}
	profile->nodes[to].calls++;
}

void stmlog_walker_enter(struct stmlog_walker *walker, uint32_t site)
{
	if (walker != NULL)
		go(walker, standing(walker), site);
}

void stmlog_walker_replace(struct stmlog_walker *walker, uint32_t site)
{
	if (walker == NULL)
		return;
	uint32_t from = standing(walker);
	if (!is_on_root(walker))
		pop(walker);
	go(walker, from, site);
}

void stmlog_walker_exit(struct stmlog_walker *walker)
{
	if (walker == NULL)
		return;
	if (is_on_root(walker))
		misuse_count("stmlog_walker_exit on the root");
	else
		pop(walker);
}

void stmlog_walker_add(struct stmlog_walker *walker, enum stmlog_weight weight, uint64_t amount)
{
	if (walker == NULL)
		return;
	if ((unsigned)weight >= STMLOG_WEIGHTS)
		misuse_count("stmlog_walker_add of no weight");
	else
		walker->profile->nodes[standing(walker)].weights[weight] += amount;
}

size_t stmlog_walker_path(const struct stmlog_walker *walker, uint32_t *sites, size_t max)
{
	if (walker == NULL)
		return 0;
	const struct profile_node *nodes = walker->profile->nodes, *node = &nodes[standing(walker)];
	size_t len = node->depth;
	for (size_t i = len; i > 0; i--, node = &nodes[node->parent]) {
		if (i <= max)
			sites[i - 1] = node->site;
	}
	return len;
}
