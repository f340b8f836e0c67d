/* SPDX-License-Identifier: MIT
 * A set-associative cache of tracebacks in one piece of memory, for one thread. */
#include "cache.h"

#include <string.h>

#define SETS 32 /* a power of two */
#define WAYS 8
#define TRACES (SETS * WAYS)
#define SHORT 12 /* steps of a short trace */

/* Each way of a set has a place for a trace: a short one, or a long one once a trace needed that. Invariants: places of
 * one length lie side by side, in the order of their first use, whatever their set: so the cache takes memory for those
 * that are used, and not a page for each set. Those that have not been used may hold anything. */
struct native_cache {
	size_t steps;
	uint16_t shorts, longs;       /* places that have been used */
	uint8_t next[SETS];           /* of each set, the way that is used next: the oldest one, if the set is full */
	uint16_t numbers[SETS][WAYS]; /* of places: 1 to TRACES are short ones; 0: none yet */
	max_align_t traces[];
};

static size_t stride_for(size_t steps)
{
	return (sizeof(struct native_trace) + steps * sizeof(struct native_step) + 15) & ~(size_t)15;
}

size_t native_cache_size(size_t steps)
{
	return sizeof(struct native_cache) + TRACES * (stride_for(SHORT) + stride_for(steps));
}

struct native_cache *native_cache_init(void *memory, size_t steps)
{
	struct native_cache *cache = memory;
	memset(cache, 0, sizeof *cache);
	cache->steps = steps;
	return cache;
}

static struct native_trace *trace_at(const struct native_cache *cache, size_t number)
{
	size_t offset = number <= TRACES
				? (number - 1) * stride_for(SHORT)
				: TRACES * stride_for(SHORT) + (number - 1 - TRACES) * stride_for(cache->steps);
	return (struct native_trace *)(void *)((char *)(uintptr_t)cache->traces + offset);
}

static void drop(struct native_trace *trace, struct tb_stack *stack)
{
	if (trace->frames != NULL)
		tb_unref(stack, trace->frames);
	trace->frames = NULL;
}

void native_cache_clear(struct native_cache *cache, struct tb_stack *stack)
{
	for (size_t i = 0; i < TRACES; i++)
		if (cache->numbers[i / WAYS][i % WAYS] != 0)
			drop(trace_at(cache, cache->numbers[i / WAYS][i % WAYS]), stack);
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
	for (size_t way = 0; way < WAYS && cache->numbers[set][way] != 0; way++) {
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

/* A trace of the set with room for so many steps, and without frames: a new one, or the oldest one. */
static struct native_trace *next_of(struct native_cache *cache, size_t set, size_t len, struct tb_stack *stack)
{
	uint16_t *number = &cache->numbers[set][cache->next[set]];
	cache->next[set] = (uint8_t)((cache->next[set] + 1) % WAYS);
	if (*number != 0)
		drop(trace_at(cache, *number), stack);
	if (len > SHORT && *number <= TRACES)
		*number = (uint16_t)(TRACES + ++cache->longs);
	else if (*number == 0)
		*number = ++cache->shorts;
	return trace_at(cache, *number);
}

bool native_cache_add(struct native_cache *cache, struct tb_stack *stack, const struct native_key *key,
	const struct native_step *steps, size_t len, struct tb_frame *frames, uint32_t kind)
{
	if (!is_storable(cache, key, steps, len))
		return false;
	struct native_trace *trace = next_of(cache, set_of(key), len, stack);
	trace->key = *key;
	trace->frames = frames;
	trace->kind = kind;
	trace->len = (uint32_t)len;
	memcpy(trace->steps, steps, len * sizeof *steps);
	return true;
}
