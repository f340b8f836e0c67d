/* SPDX-License-Identifier: MIT
 * Frames of GHC's libraries on top of a traceback. */
#ifndef LIBRARY_FRAMES_H
#define LIBRARY_FRAMES_H

#include "symbols.h"

/* In a program of GHC that is not optimized, modifyTVar and others are functions that the program calls: they access
 * the TVar for a line of the program. From now on the recording's tracebacks begin with that line, if it is known. Does
 * nothing for recordings of other programs. `site_of`: looks up a site. */
typedef const struct symbol_site *library_frames_site(struct symbols *symbols, uint32_t site);
void library_frames_leave_out(struct symbols *symbols, library_frames_site *site_of);

#endif
