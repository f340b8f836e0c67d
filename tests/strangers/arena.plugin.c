/* SPDX-License-Identifier: MIT
 *
 * An allocator with pools of free blocks. To tidy up, it allocates the blocks of a pool anew, so that neighbours in the
 * list are neighbours in memory, and frees the old ones: all in one transaction. Fixed: a transaction exchanges the
 * list only; blocks are allocated before it and freed after it.
 */
#define CREW_PLUGIN
#include "plugin.h"

enum { POOLS = 64, BLOCKS = 600, BLOCK = 96 };

struct block {
	struct block *next;
	char bytes[BLOCK - sizeof(void *)];
};

static struct pool {
	_Alignas(64) struct block *blocks;
	long len, taken;
} pools[POOLS];

TM_SAFE static struct block *new_blocks(long len)
{
	struct block *first = NULL;
	for (long i = 0; i < len; i++) {
		struct block *block = (struct block *)malloc(sizeof(*block));
		block->next = first;
		first = block;
	}
	return first;
}

TM_SAFE static void free_blocks(struct block *block)
{
	while (block != NULL) {
		struct block *next = block->next;
		free(block);
		block = next;
	}
}

static void open_pools(void)
{
	for (int i = 0; i < POOLS; i++) {
		pools[i].blocks = new_blocks(BLOCKS);
		pools[i].len = BLOCKS;
	}
}

NOINLINE static struct block *take(struct pool *pool)
{
	struct block *block;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		block = pool->blocks;
		if (block != NULL) {
			pool->blocks = block->next;
			pool->len--;
			pool->taken++;
		}
		stamp_last();
	}
	stamp_after();
	crew_count();
	return block;
}

NOINLINE static void give(struct pool *pool, struct block *block)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		block->next = pool->blocks;
		pool->blocks = block;
		pool->len++;
		stamp_last();
	}
	stamp_after();
	crew_count();
}

#ifdef FIXED
NOINLINE static struct block *exchange(struct pool *pool, struct block *blocks, long len)
{
	struct block *old;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		old = pool->blocks;
		pool->blocks = blocks;
		pool->len = len;
		stamp_last();
	}
	stamp_after();
	return old;
}

static void tidy_pool(struct pool *pool)
{
	free_blocks(exchange(pool, new_blocks(BLOCKS), BLOCKS));
}
#else
NOINLINE static void tidy_pool(struct pool *pool)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		free_blocks(pool->blocks);
		pool->blocks = new_blocks(BLOCKS);
		pool->len = BLOCKS;
		stamp_last();
	}
	stamp_after();
}
#endif

static void serve(struct member *me)
{
	struct pool *pool = &pools[member_random(me, POOLS)];
	struct block *block = take(pool);
	if (block != NULL) {
		memset(block->bytes, me->number, sizeof(block->bytes));
		give(pool, block);
	}
}

static void maintain(struct member *me)
{
	tidy_pool(&pools[member_random(me, POOLS)]);
}

const struct plugin plugin = {open_pools, serve, maintain};
