/* SPDX-License-Identifier: MIT
 * Frames of functions that had left the stack by a tail call when a traceback was taken. */
#ifndef TAIL_FRAMES_H
#define TAIL_FRAMES_H

#include "symbols.h"

/* `last_line` of a site that was added where a function begins, since it is not known which jump it has left by. An
 * address has no line otherwise. */
enum { TAIL_FRAMES_FUNCTION = 1 };

/* A function that has ended with a jump is missing between two frames: its caller seems to call the function that it
 * has jumped to. Adds a site for each function that is missing, at its jump, and puts the site into the tracebacks of
 * the recording. The modules are known. Requires that there are no frames of sites yet. */
void tail_frames_add(struct symbols *symbols, struct recording *recording);

#endif
