/* SPDX-License-Identifier: MIT
 * Puts what is foreseen into the recording, for all reports of it. */
#ifndef FORESEE_SAVE_H
#define FORESEE_SAVE_H

#include <stdbool.h>

#include "foresee.h"

/* Writes the file anew, with the section GAINS; `line_ns` as in foresee_effort. Returns false, prints why, and leaves
 * the file as it was, if that cannot be done. Nothing is written if the replay has not taken place. */
bool foresee_save(const char *path, const struct foreseen *foreseen, const struct findings *findings, double line_ns);

/* Replays the recording of a program that has just run, for about so many seconds, and puts the gains of its first
 * findings into it. Does nothing for a short run, which has few accesses, or one that loses little; nor where nothing
 * can be replayed. `line_before_ns`: how near the processors were before it ran (line_transfer.h). */
void foresee_at_end(const char *path, double line_before_ns, double seconds);

/* How near the processors were, as foresee_save() has written it; 0: not known. */
double foresee_line_ns(const struct recording *recording);

#endif
