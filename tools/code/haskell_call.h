/* SPDX-License-Identifier: MIT
 * Where Haskell code calls. A traceback has the addresses of continuations, which is where the code goes on behind the
 * call. The call is in the block that leaves the continuation on the stack. */
#ifndef HASKELL_CALL_H
#define HASKELL_CALL_H

#include "inlining.h"

/* Finds the frames of the call whose continuation is at `address` (in the process that ran), innermost first, as
 * inlining_frames() does. The line of a call is known by what it passes, or else by the calls before and behind it:
 * then frames have a last_line, and the line is in between. Returns how many frames; 0: no such call was found. */
size_t haskell_call_frames(struct inlining *inlining, Dwfl_Module *module, uint64_t address, uint64_t ran_ns,
	struct inlining_frame frames[INLINING_DEPTH]);

#endif
