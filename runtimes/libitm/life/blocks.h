/* SPDX-License-Identifier: MIT
 * Blocks of memory, where libstmlog-objects.so (objects/) remembers them. */
#ifndef ITM_BLOCKS_H
#define ITM_BLOCKS_H

#include <stmlog/runtime.h>

/* Lets reports ask for blocks of memory, where those are remembered. */
void itm_objects_use(struct stmlog_setup *setup);

/* Tells what of them is not. */
void itm_objects_tell(void);

#endif
