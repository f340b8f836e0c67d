/* SPDX-License-Identifier: MIT
 * An open hash table that only grows. A place is written before its hash is published, so lookups take no lock. Pages
 * of it that are never touched take no memory. */
#include "blocks.h"

#include <pthread.h>
#include <string.h>

#include <atomic_ops.h>

#define PROBES 32u

/* Invariant: hash != 0  =>  `place` is complete, and never changes. Number 0 is not used. */
struct block {
	volatile AO_t hash;
	struct tb_copy place;
};

static struct block blocks[TINY_BLOCKS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Partner: the release in add(). */
static AO_t hash_at(uint32_t block)
{
	return AO_load_acquire(&blocks[block].hash);
}

static bool is_same(const struct tb_copy *a, const struct tb_copy *b)
{
	return a->len == b->len && a->is_whole == b->is_whole &&
	       memcmp(a->sites, b->sites, a->len * sizeof *a->sites) == 0;
}

/* The number of the place, or a free one for it; 0: there is none. */
static uint32_t find(const struct tb_copy *place, AO_t hash)
{
	for (uint32_t i = 0; i < PROBES; i++) {
		uint32_t block = (uint32_t)((hash >> 8) + i) % TINY_BLOCKS;
		AO_t found = block != 0 ? hash_at(block) : hash + 1;
		if (found == 0 || (found == hash && is_same(&blocks[block].place, place)))
			return block;
	}
	return 0;
}

static uint32_t add(const struct tb_copy *place, AO_t hash)
{
	pthread_mutex_lock(&lock);
	uint32_t block = find(place, hash);
	if (block != 0 && hash_at(block) == 0) {
		blocks[block].place = *place;
		/* Partner: the acquire in hash_at(). */
		AO_store_release(&blocks[block].hash, hash);
	}
	pthread_mutex_unlock(&lock);
	return block;
}

uint32_t tiny_block_of(const struct tb_frame *traceback)
{
	struct tb_copy place;
	if (!tb_is_frame(traceback))
		return 0;
	tb_copy_take(&place, traceback);
	AO_t hash = (AO_t)tb_copy_hash(&place) | 1; /* 0 is free */
	uint32_t block = find(&place, hash);
	return block == 0 || hash_at(block) != 0 ? block : add(&place, hash);
}

const struct tb_copy *tiny_block_at(uint32_t block)
{
	return block != 0 ? &blocks[block].place : NULL;
}
