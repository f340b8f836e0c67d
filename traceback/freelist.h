/* SPDX-License-Identifier: MIT
 *
 * Free nodes of one size: chains of nodes, and the depot that all owners of chains
 * share. A plain data structure that does not know what a node is used for.
 *
 * An owner gets a chain from the depot, uses its nodes without any lock, and puts whole chains back. So the lock is
 * taken once per chain, not once per node.
 *
 * Threads: a chain belongs to one thread. Any thread may call freelist_depot_*(); these
 * functions take a mutex, so a signal handler must not call them.
 */
#ifndef TRACEBACK_FREELIST_H
#define TRACEBACK_FREELIST_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Invariant: `head` is a list of `len` nodes, linked by their first words; the last link is NULL. */
struct freelist_chain {
	void *head;
	uint32_t len;
};

/* Takes the first `len` nodes off the chain. Requires: 0 < len <= chain->len. */
struct freelist_chain freelist_cut(struct freelist_chain *chain, uint32_t len);

/* The first words of a free node. The bytes behind them keep their values. May alias, because the owner uses the same
 * bytes as a node of another type. Each word is stored whole: a thread that does not know yet that the node is free may
 * be loading it (NOTES.txt, claim T2). */
struct __attribute__((may_alias)) freelist_node {
	struct freelist_node *next;
	struct freelist_node *next_batch; /* this word and the next: only while it heads a batch in the depot */
	uintptr_t batch_len;
};

struct freelist_slab;

/* Invariants: nodes carved from slabs == sum of batch lengths + out;
 *             [fresh, fresh_end) is the part of the newest slab that has not become nodes yet;
 * slabs are freed only by a trim, and all at once. */
struct freelist_depot {
	pthread_mutex_t lock;
	uint32_t node_size; /* at least a freelist_node, and a multiple of its alignment */
	void (*make)(
		void *node); /* initialises the zeroed bytes of a new node; called once for each, without the lock */
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

/* Returns a chain of 1 to `want` nodes; an empty chain when there is no memory. Keeps errno.
 * Requires: want > 0. */
struct freelist_chain freelist_depot_get(struct freelist_depot *depot, uint32_t want);

/* Consumes the chain. Requires: len > 0. */
void freelist_depot_put(struct freelist_depot *depot, struct freelist_chain chain);

/* How many nodes are not in the depot. */
size_t freelist_depot_out(struct freelist_depot *depot);

/* Frees all slabs if all nodes are in the depot. Returns whether they are. Called when no thread reads nodes any more.
 */
bool freelist_depot_trim(struct freelist_depot *depot);

#endif
