/* SPDX-License-Identifier: MIT
 *
 * What is asked of frames: whether two have the same site, what their hash is, and whether a stack of them is valid.
 *
 * Comparison and hash of sites are the same for frames and for copies. The hash of a traceback begins with
 * FRAME_HASH_BEGIN, takes each site, innermost first, and ends with whether the traceback ends in TB_UNKNOWN. */
#ifndef TRACEBACK_FRAME_H
#define TRACEBACK_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include <stmlog/traceback.h>

/* Not 0: otherwise sites of zeros would leave it 0. */
#define FRAME_HASH_BEGIN 0xd6e8feb86659fd93u

static inline bool frame_same_site(struct tb_site a, struct tb_site b)
{
	return a.code == b.code && a.position == b.position;
}

/* The rotation makes the hash depend on the order of words. */
static inline uint64_t frame_hash_word(uint64_t hash, uint64_t word)
{
	return ((hash << 23 | hash >> 41) ^ word) * 0x9e3779b97f4a7c15u;
}

static inline uint64_t frame_hash_site(uint64_t hash, struct tb_site site)
{
	return frame_hash_word(frame_hash_word(hash, site.code), site.position);
}

/* The last steps mix the upper bits, which depend on more of the input, into the lower ones. */
static inline uint64_t frame_hash_end(uint64_t hash, bool is_unknown)
{
	hash = frame_hash_word(hash, is_unknown);
	hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93u;
	return hash ^ hash >> 32;
}

/* ---- a shadow stack ---- */

/* Whether the invariants of struct tb_stack (traceback.h) hold. Walks all its frames. For tests, and for builds that
 * check what functions require. */
bool shadow_is_valid(const struct tb_stack *stack);

#endif
