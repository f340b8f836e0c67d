/* SPDX-License-Identifier: MIT
 *
 * What frames and their copies compare and hash alike. A hash is begun, takes each site innermost
 * first, and is ended with what the traceback ends in. */
#ifndef TRACEBACK_FRAME_H
#define TRACEBACK_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include <stmlog/traceback.h>

/* Not 0, of which sites that are 0 would make 0 again. */
#define FRAME_HASH_BEGIN 0xd6e8feb86659fd93u

static inline bool frame_same_site(struct tb_site a, struct tb_site b)
{
	return a.code == b.code && a.position == b.position;
}

/* Rotated before each word, so that the order of frames counts. */
static inline uint64_t frame_hash_word(uint64_t hash, uint64_t word)
{
	return ((hash << 23 | hash >> 41) ^ word) * 0x9e3779b97f4a7c15u;
}

static inline uint64_t frame_hash_site(uint64_t hash, struct tb_site site)
{
	return frame_hash_word(frame_hash_word(hash, site.code), site.position);
}

/* The last steps bring the upper bits, which know more, down to the lower ones. */
static inline uint64_t frame_hash_end(uint64_t hash, bool is_unknown)
{
	hash = frame_hash_word(hash, is_unknown);
	hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93u;
	return hash ^ hash >> 32;
}

#endif
