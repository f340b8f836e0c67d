/* SPDX-License-Identifier: MIT
 * The file's section BLOCKS: the allocated blocks that contain objects of the entries. */
#ifndef STMLOG_BLOCKS_H
#define STMLOG_BLOCKS_H

#include "intern.h"

/* Adds the block that contains the object, if the runtime finds one that is not in `blocks` yet. `blocks` is an array
 * of struct stmlog_block_record, by ascending addresses. */
void blocks_add(struct buffer *blocks, struct intern *intern, uintptr_t object);

#endif
