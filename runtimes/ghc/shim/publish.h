/* SPDX-License-Identifier: MIT
 * Puts the writes of a commit into the capability's ring before it commits, so that other attempts find them. */
#ifndef GHC_PUBLISH_H
#define GHC_PUBLISH_H

#include "capability.h"
#include "lane.h"

/* Returns whether there was anything to publish; then ring_finish() must follow. `lane`: of the transaction; NULL: it
 * is not measured. `top`: the frame with which it began, or one below that. */
bool publish(struct ghc_capability *mine, struct hs_trec *trec, struct ghc_lane *lane, uintptr_t *top);

#endif
