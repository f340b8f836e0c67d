/* SPDX-License-Identifier: MIT
 *
 * Allocates nodes from slabs, and moves chains between the depot and their owners. A slab becomes nodes only as these
 * are needed: so pages that are not needed are never touched. Slabs are freed all at once, when no node is in use.
 * Other threads may read a node that its owner has freed (and find that out afterwards), so its memory must stay.
 */
#include "freelist.h"

#include <errno.h>

#include <atomic_ops.h>

#include <stmlog/compiler.h>

#include "check.h"
#include "locks.h"
#include "mem.h"

/* Some two thousand frames. */
#define SLAB_BYTES 65536u

/* The head of a slab. The nodes follow, aligned to cache lines. They do not begin where a page begins: other memory
 * that is used together with them lies at the beginning of its page. Some processors (AMD's) guess from a hash of the
 * address in which way of the cache a line is. Two lines at the same offset of their pages, whose hashes are equal,
 * miss the cache in turns; and mappings often lie at distances at which hashes are equal. (Lipp and others, "Take A
 * Way", AsiaCCS 2020.) */
struct freelist_slab {
	struct freelist_slab *next;
	char unused[1024 - sizeof(struct freelist_slab *)];
};

struct freelist_chain freelist_cut(struct freelist_chain *chain, uint32_t len)
{
	REQUIRES(len > 0 && len <= chain->len);
	struct freelist_chain cut = {chain->head, len};
	struct freelist_node *last = cut.head;
	for (uint32_t i = 1; i < len; i++)
		last = last->next;
	chain->head = last->next;
	chain->len -= len;
	STMLOG_STORE_RELAXED(&last->next, NULL);
	return cut;
}

static void put_batch(struct freelist_depot *depot, struct freelist_chain chain)
{
	struct freelist_node *head = chain.head;
	STMLOG_STORE_RELAXED(&head->next_batch, depot->batches);
	STMLOG_STORE_RELAXED(&head->batch_len, chain.len);
	depot->batches = head;
}

/* If the batch is longer than `want`, its rest stays in the depot. */
static struct freelist_chain pop_batch(struct freelist_depot *depot, uint32_t want)
{
	struct freelist_node *head = depot->batches;
	struct freelist_chain batch = {head, (uint32_t)head->batch_len};
	depot->batches = head->next_batch;
	if (batch.len <= want)
		return batch;
	struct freelist_chain cut = freelist_cut(&batch, want);
	put_batch(depot, batch);
	return cut;
}

static int add_slab(struct freelist_depot *depot)
{
	int saved = errno;
	struct freelist_slab *slab = mem_alloc(SLAB_BYTES);
	errno = saved;
	if (slab == NULL)
		return -ENOMEM;
	slab->next = depot->slabs;
	depot->slabs = slab;
	depot->fresh = (char *)(slab + 1);
	depot->fresh_end = depot->fresh + (SLAB_BYTES - sizeof *slab) / depot->node_size * depot->node_size;
	return 0;
}

/* A piece of a slab that is yet to become nodes. */
struct piece {
	char *start;
	uint32_t len; /* in nodes */
};

static struct piece carve(struct freelist_depot *depot, uint32_t want)
{
	if (depot->fresh == depot->fresh_end && add_slab(depot) != 0)
		return (struct piece){NULL, 0};
	size_t left = (size_t)(depot->fresh_end - depot->fresh) / depot->node_size;
	struct piece piece = {depot->fresh, want < left ? want : (uint32_t)left};
	depot->fresh += (size_t)piece.len * depot->node_size;
	return piece;
}

/* Runs without the lock, because the first access to a page enters the kernel, which may preempt the thread. When a
 * thread was preempted with the lock among many threads, all others waited for a tenth of a second. */
static struct freelist_chain make_nodes(const struct freelist_depot *depot, struct piece piece)
{
	struct freelist_chain chain = {NULL, piece.len};
	for (uint32_t i = piece.len; i > 0; i--) {
		struct freelist_node *node = (void *)(piece.start + (size_t)(i - 1) * depot->node_size);
		depot->make(node);
		STMLOG_STORE_RELAXED(&node->next, chain.head);
		chain.head = node;
	}
	return chain;
}

struct freelist_chain freelist_depot_get(struct freelist_depot *depot, uint32_t want)
{
	REQUIRES(want > 0);
	struct freelist_chain chain = {NULL, 0};
	struct piece piece = {NULL, 0};
	locks_lock(&depot->lock);
	if (depot->batches != NULL)
		chain = pop_batch(depot, want);
	else
		piece = carve(depot, want);
	depot->out += chain.len + piece.len;
	locks_unlock(&depot->lock);
	if (piece.len != 0)
		chain = make_nodes(depot, piece);
	/* Orders the stores of the thread that put the nodes into the depot before this thread's stores in the nodes,
	 * also for readers without the lock (NOTES.txt, claim T1). On x86 this is no instruction. */
	AO_nop_write();
	return chain;
}

void freelist_depot_put(struct freelist_depot *depot, struct freelist_chain chain)
{
	REQUIRES(chain.len > 0);
	locks_lock(&depot->lock);
	put_batch(depot, chain);
	depot->out -= chain.len;
	locks_unlock(&depot->lock);
}

size_t freelist_depot_out(struct freelist_depot *depot)
{
	locks_lock(&depot->lock);
	size_t out = depot->out;
	locks_unlock(&depot->lock);
	return out;
}

static void free_slabs(struct freelist_depot *depot)
{
	struct freelist_slab *slab = depot->slabs;
	while (slab != NULL) {
		struct freelist_slab *next = slab->next;
		mem_free(slab, SLAB_BYTES);
		slab = next;
	}
	depot->slabs = NULL;
	depot->batches = NULL;
	depot->fresh = depot->fresh_end = NULL;
}

bool freelist_depot_trim(struct freelist_depot *depot)
{
	locks_lock(&depot->lock);
	bool is_unused = depot->out == 0;
	if (is_unused)
		free_slabs(depot);
	locks_unlock(&depot->lock);
	return is_unused;
}
