/* SPDX-License-Identifier: MIT
 *
 * Free nodes of one size: chains of them, and the depot that all owners of chains
 * share. A plain data structure; what a node means is the caller's affair.
 *
 * An owner takes a chain from the depot, uses its nodes without asking anybody, and
 * gives whole chains back. So the lock is paid once per chain, never once per node.
 *
 * Threads: a chain belongs to one thread; the freelist_depot_* calls are for any.
 * They hold a mutex, so a signal handler must not call them.
 */
#ifndef TRACEBACK_FREELIST_H
#define TRACEBACK_FREELIST_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/* Invariant: len nodes hang together from `head` by their first words, the last one's is NULL. */
struct freelist_chain {
	void *head;
	uint32_t len;
};

/* Takes the first `len` nodes off the chain. Requires: 0 < len <= chain->len. */
struct freelist_chain freelist_cut(struct freelist_chain *chain, uint32_t len);

/* What a free node has in its first words; whatever lies behind them is left alone.
 * It may alias: for the owner the same bytes are a node of his own type. Whole words, stored whole: a thread that
 * does not know yet that the node is free may be loading them as what they were (NOTES.txt, claim T4). */
struct __attribute__((may_alias)) freelist_node {
	struct freelist_node *next;
	struct freelist_node *next_batch; /* this word and the next: only while it heads a batch in the depot */
	uintptr_t batch_len;
};

struct freelist_slab;

/* Invariants: nodes carved from slabs == sum of batch lengths + out;
 *             [fresh, fresh_end) is the rest of the newest slab, never carved yet;
 *             a slab is given back only by a trim, and then all of them are. */
struct freelist_depot {
	pthread_mutex_t lock;
	uint32_t node_size;       /* at least a freelist_node, and a multiple of its alignment */
	void (*make)(void *node); /* makes a node of zeroed bytes, once in its life */
	struct freelist_node *batches;
	struct freelist_slab *slabs;
	char *fresh;
	char *fresh_end;
	size_t out; /* nodes with owners */
};

#define FREELIST_DEPOT(size, maker)                                                     \
	{                                                                               \
		.lock = PTHREAD_MUTEX_INITIALIZER, .node_size = (size), .make = (maker) \
	}

/* Returns a chain of 1 to `want` nodes; an empty one when memory ran out, errno as it was.
 * Requires: want > 0. */
struct freelist_chain freelist_depot_take(struct freelist_depot *depot, uint32_t want);

/* Consumes the chain. Requires: len > 0. */
void freelist_depot_give(struct freelist_depot *depot, struct freelist_chain chain);

/* How many nodes have owners. */
size_t freelist_depot_out(struct freelist_depot *depot);

/* Gives all slabs back to the system if no node has an owner. Requires that nobody reads nodes any more. */
void freelist_depot_trim(struct freelist_depot *depot);

/* Around fork(): held across it, the depot is whole on both sides. */
void freelist_depot_lock(struct freelist_depot *depot);
void freelist_depot_unlock(struct freelist_depot *depot);

#endif
