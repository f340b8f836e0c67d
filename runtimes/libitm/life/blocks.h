/* SPDX-License-Identifier: MIT
 * Blocks of memory, for objects in reports. libstmlog-objects.so (objects/) remembers them, if it is loaded. */
#ifndef ITM_BLOCKS_H
#define ITM_BLOCKS_H

#include <stmlog/runtime.h>

/* Has reports look up blocks, if libstmlog-objects.so is loaded. */
void itm_objects_use(struct stmlog_setup *setup);

/* Writes into the recording how many blocks are not known. */
void itm_objects_set_facts(void);

#endif
