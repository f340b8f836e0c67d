/* SPDX-License-Identifier: MIT
 *
 * Two pools of buffers, small ones and large ones. One thread uses the small ones, the other one the large ones; both
 * pools are known to a third thread, which rarely looks how many are used.
 */
#include "crew.h"

enum { BUFFERS = 256, LEN = 24, THREADS = CREW_THREADS(3) };

struct buffer {
	struct buffer *next;
	long words[LEN];
	char spare[64];
};

struct pool {
	struct buffer *free;
	long used;
};

#ifdef FIXED
static _Alignas(128) struct pool small_pool;
static _Alignas(128) struct pool large_pool;
#else
static _Alignas(128) struct {
	struct pool small, large;
} pools;
#define small_pool pools.small
#define large_pool pools.large
#endif

static _Alignas(128) struct buffer small_buffers[BUFFERS], large_buffers[BUFFERS];

/* A buffer from the pool, filled. */
static struct buffer *get(struct pool *pool, long value)
{
	struct buffer *buffer;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		buffer = pool->free;
		if (buffer != NULL) {
			pool->free = buffer->next;
			pool->used++;
			for (int i = 0; i < LEN; i++)
				buffer->words[i] = value + i;
		}
		stamp_last();
	}
	stamp_after();
	return buffer;
}

static void put(struct pool *pool, struct buffer *buffer)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		buffer->next = pool->free;
		pool->free = buffer;
		pool->used--;
		stamp_last();
	}
	stamp_after();
}

static long look(struct pool *pool)
{
	long used;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		used = pool->used;
		stamp_last();
	}
	stamp_after();
	return used;
}

static void use(struct member *me)
{
	struct pool *pool = me->number == 0 ? &small_pool : &large_pool;
	while (is_open()) {
		if (me->number == 2) {
			usleep(10000);
			look(&small_pool);
			look(&large_pool);
			continue;
		}
		struct buffer *buffer = get(pool, (long)member_random(me, 100));
		if (buffer != NULL)
			put(pool, buffer);
	}
}

int main(int argc, char **argv)
{
	for (int i = 0; i < BUFFERS - 1; i++) {
		small_buffers[i].next = &small_buffers[i + 1];
		large_buffers[i].next = &large_buffers[i + 1];
	}
	small_pool.free = small_buffers;
	large_pool.free = large_buffers;
	return crew_run(argc, argv, THREADS, use);
}
