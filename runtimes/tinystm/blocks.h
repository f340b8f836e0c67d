/* SPDX-License-Identifier: MIT
 *
 * Where transactions begin, as numbers that threads can show each other: one word says
 * where a transaction began, and whoever has met it looks the place up here. The few
 * places there are (atomic blocks, and the ways to them) stay for ever and never change,
 * so that a number is good whenever it was read and nobody has to be asked afterwards.
 */
#ifndef TINY_BLOCKS_H
#define TINY_BLOCKS_H

#include <stdint.h>

#include <stmlog/traceback.h>

#define TINY_BLOCK_BITS 9
#define TINY_BLOCKS (1u << TINY_BLOCK_BITS) /* numbers are below that */

/* The number of the place, that is of its TB_COPY_FRAMES innermost frames; a new place gets one. 0: it is TB_EMPTY
 * or TB_UNKNOWN, or there is no room for it. Any thread, for a traceback of its own; takes a lock for a new place
 * only. */
uint32_t tiny_block_of(const struct tb_frame *traceback);

/* The place with that number, which tiny_block_of() has returned to anybody. NULL for 0. */
const struct tb_copy *tiny_block_at(uint32_t block);

#endif
