/* SPDX-License-Identifier: MIT
 *
 * Places where transactions begin, as numbers. A transaction publishes the number of its place in one word; another
 * thread that conflicts with it looks the place up here. There are few such places (atomic blocks, and the ways to
 * them); they are kept for good and never change, so a number is valid whenever it was read.
 */
#ifndef TINY_BLOCKS_H
#define TINY_BLOCKS_H

#include <stdint.h>

#include <stmlog/traceback.h>

#define TINY_BLOCK_BITS 9
#define TINY_BLOCKS (1u << TINY_BLOCK_BITS) /* all numbers are below */

/* The number of a place, which is the TB_COPY_FRAMES innermost frames of `traceback`. A new place gets a number. 0: the
 * traceback is TB_EMPTY or TB_UNKNOWN, or there is no room for it. Any thread may call, with a traceback of its own.
 * Takes a lock only for a new place. */
uint32_t tiny_block_of(const struct tb_frame *traceback);

/* The place with that number. NULL for 0. Requires that tiny_block_of() has returned the number, to any thread. */
const struct tb_copy *tiny_block_at(uint32_t block);

#endif
