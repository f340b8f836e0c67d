/* SPDX-License-Identifier: MIT
 * The file's section BLOCKS: what the runtime knows of the memory that objects lie in. */
#ifndef STMLOG_BLOCKS_H
#define STMLOG_BLOCKS_H

#include "intern.h"

/* Adds the block that the object lies in, if there is one and it is not there yet. `blocks` holds struct
 * stmlog_block_record, by ascending addresses. */
void blocks_add(struct buffer *blocks, struct intern *intern, uintptr_t object);

#endif
