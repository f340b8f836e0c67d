/* SPDX-License-Identifier: MIT
 * The live view of `stmlog record --live`: the first screen of the report, and the costliest entries, drawn again for
 * each new snapshot while the program runs. All functions are for one thread. */
#ifndef LIVE_H
#define LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* ---- live.c ---- */

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

/* ---- live_panel.c ---- */

/* The last lines of a terminal, which do not scroll with the lines above, where the program's own output goes. Each
 * drawing is one write(), so that it does not come into the middle of a line that the program writes. Where stderr is
 * no terminal that can do that, there is no panel. */
struct live_panel {
	int fd;
	size_t rows, columns; /* of the terminal */
	size_t height;        /* 0: there is no panel */
};

/* A panel of at most `max` lines on this terminal. It has no height if the file is none, or leaves no room. */
struct live_panel live_panel_begin(int fd, size_t max);

/* Takes the terminal's size into account if that has changed; returns whether it has. */
bool live_panel_fit(struct live_panel *panel, size_t max);

/* Shows as many lines of the text as there is room for, instead of what was shown before. */
void live_panel_show(const struct live_panel *panel, const char *text);

/* All lines of the terminal scroll again, and the panel's are empty. */
void live_panel_end(struct live_panel *panel);

#endif
