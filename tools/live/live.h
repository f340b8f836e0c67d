/* SPDX-License-Identifier: MIT
 * The live view of `stmlog record --live`: the first screen of the report, and the costliest entries, drawn again for
 * each new snapshot while the program runs. All functions are for one thread. */
#ifndef LIVE_H
#define LIVE_H

#include <sys/types.h>

struct live;

/* Makes room on stderr. To be called before the program runs, whose output would scroll the room away. */
struct live *live_begin(void);

/* Draws the newest snapshot in `directory`, where each process of the run leaves its own, unless it is drawn already.
 * If process `pid` has left one, that one is drawn. To be called several times a second. Requires that live_leave() was
 * not called. */
void live_look(struct live *live, const char *directory, pid_t pid);

/* Takes the view from the terminal, which scrolls as before. */
void live_leave(struct live *live);

/* Does so, too, if live_leave() was not called, and frees the view. */
void live_end(struct live **live);

/* Prints the first screen of the newest snapshot on stderr. `file` is struct report's: there the recording will be. */
void live_dump(const char *file, const char *directory, pid_t pid);

#endif
