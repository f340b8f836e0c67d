/* SPDX-License-Identifier: MIT
 * Releases frames of a shadow stack, which capture.c makes. */
#ifndef TRACEBACK_CAPTURE_H
#define TRACEBACK_CAPTURE_H

#include <stmlog/traceback.h>

/* Releases the frames of `level` and of all levels above. Those below keep theirs. Requires: bottom < level. */
void capture_drop(struct tb_stack *stack, const struct tb_level *level);

#endif
