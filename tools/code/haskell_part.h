/* SPDX-License-Identifier: MIT
 * Which of the functions that were made into one is the one that calls the others. */
#ifndef HASKELL_PART_H
#define HASKELL_PART_H

#include "haskell_calling.h"

/* The part of the source that has the statements of function `function`, of which `calling` has the blocks: its own, or
 * if that does nothing but call one that was inlined, that one's. NULL: the function has no notes. */
const struct haskell_note *haskell_part_find(const struct haskell_calling *calling, uint32_t function);

#endif
