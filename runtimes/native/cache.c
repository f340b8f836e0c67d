/* SPDX-License-Identifier: MIT
 * A set-associative cache of tracebacks in one piece of memory, for one thread. */
#include "cache.h"

#include <string.h>

#define SETS 32 /* a power of two */
#define WAYS 8
_Static_assert(SETS *WAYS <= UINT8_MAX + 1, "the number of a trace is a byte");

/* Invariants: the traces are `stride` bytes each, in the order of their first use, whatever their set: so the cache
 * takes memory for those that are used, and not a page for each set. Those from `len` on have not been written, and may
 * hold anything. numbers[s][0 .. used[s]) are those of set s; len is the sum of `used`. */
struct native_cache {
	size_t stride;
	size_t steps;
	size_t len;
	uint8_t next[SETS]; /* of each set, the way that is used next: the oldest one, if the set is full */
	uint8_t used[SETS]; /* so many of its ways have been used */
	uint8_t numbers[SETS][WAYS];
	max_align_t traces[];
};

static size_t stride_for(size_t steps)
{
	return (sizeof(struct native_trace) + steps * sizeof(struct native_step) + 15) & ~(size_t)15;
}

size_t native_cache_size(size_t steps)
{
	return sizeof(struct native_cache) + SETS * WAYS * stride_for(steps);
}

struct native_cache *native_cache_init(void *memory, size_t steps)
{
	struct native_cache *cache = memory;
	memset(cache, 0, sizeof *cache);
	cache->steps = steps;
	cache->stride = stride_for(steps);
	return cache;
}

static struct native_trace *trace_at(const struct native_cache *cache, size_t index)
{
	return (struct native_trace *)(void *)((char *)(uintptr_t)cache->traces + index * cache->stride);
}

static void drop(struct native_trace *trace, struct tb_stack *stack)
{
	if (trace->frames != NULL)
		tb_unref(stack, trace->frames);
	trace->frames = NULL;
}

void native_cache_clear(struct native_cache *cache, struct tb_stack *stack)
{
	for (size_t number = 0; number < cache->len; number++)
		drop(trace_at(cache, number), stack);
}

static size_t set_of(const struct native_key *key)
{
	uint64_t mixed = ((uintptr_t)key->innermost.slot >> 3) + key->innermost.return_address * 3;
	return (size_t)(mixed * UINT64_C(0x9e3779b97f4a7c15) >> 59) % SETS;
}

/* Compares from the innermost slot outwards, and reads nothing beyond the first difference. */
static bool still_stands(const struct native_trace *trace)
{
	for (uint32_t i = 0; i < trace->len; i++)
		if (*trace->steps[i].slot != trace->steps[i].return_address)
			return false;
	return true;
}

static bool same_key(const struct native_key *a, const struct native_key *b)
{
	return a->innermost.slot == b->innermost.slot && a->innermost.return_address == b->innermost.return_address &&
	       a->site == b->site;
}

const struct native_trace *native_cache_find(const struct native_cache *cache, const struct native_key *key)
{
	size_t set = set_of(key);
	for (size_t way = 0; way < cache->used[set]; way++) {
		const struct native_trace *trace = trace_at(cache, cache->numbers[set][way]);
		if (trace->frames != NULL && same_key(&trace->key, key) && still_stands(trace))
			return trace;
	}
	return NULL;
}

static bool is_storable(
	const struct native_cache *cache, const struct native_key *key, const struct native_step *steps, size_t len)
{
	if (len == 0 || len > cache->steps || steps[0].slot != key->innermost.slot ||
		steps[0].return_address != key->innermost.return_address)
		return false;
	for (size_t i = 1; i < len; i++)
		if (steps[i].slot <= steps[i - 1].slot)
			return false;
	return true;
}

/* A trace of the set without frames: a new one, or the oldest one. */
static struct native_trace *next_of(struct native_cache *cache, size_t set, struct tb_stack *stack)
{
	size_t way = cache->next[set];
	cache->next[set] = (uint8_t)((way + 1) % WAYS);
	if (cache->used[set] == WAYS) {
		drop(trace_at(cache, cache->numbers[set][way]), stack);
	} else {
		cache->used[set]++;
		cache->numbers[set][way] = (uint8_t)cache->len++;
	}
	return trace_at(cache, cache->numbers[set][way]);
}

bool native_cache_add(struct native_cache *cache, struct tb_stack *stack, const struct native_key *key,
	const struct native_step *steps, size_t len, struct tb_frame *frames, uint32_t kind)
{
	if (!is_storable(cache, key, steps, len))
		return false;
	struct native_trace *trace = next_of(cache, set_of(key), stack);
	trace->key = *key;
	trace->frames = frames;
	trace->kind = kind;
	trace->len = (uint32_t)len;
	memcpy(trace->steps, steps, len * sizeof *steps);
	return true;
}
