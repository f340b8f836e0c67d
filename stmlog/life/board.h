/* SPDX-License-Identifier: MIT
 * Writes notes for `record` into this process's row of the board (stmlog/board.h). Without `board` in STMLOG_RUN, or
 * without a free row, these functions do nothing. */
#ifndef STMLOG_LIFE_BOARD_H
#define STMLOG_LIFE_BOARD_H

#include <stdbool.h>
#include <sys/types.h>

#include <stmlog/board.h>

#include "sections.h"

/* Maps the board that STMLOG_RUN names and claims a row. The file is not needed afterwards: the program may lose the
 * right to open it, or all its descriptors. */
void board_open(void);

/* Called in a forked child: claims a row of its own. `has_number`: session.pid is the child's number; otherwise the
 * child gets no row, and only board_note_filtered() has an effect, on the parent's row. */
void board_fork_child(bool has_number);

/* Counts a recording that is not written because of a filter of system calls. */
void board_note_filtered(void);

/* Notes that the process cannot be recorded, unless there is something to record already. */
void board_note_refused(void);

/* Notes that there is something to record. Only the first call has an effect. Any thread. */
void board_note_begun(void);

/* Notes the state of the recording. `error`: 0, or a negative errno if the recording could not be written. Any
 * thread. */
void board_note(enum stmlog_board_state state, int error);

/* Writes a recording onto the board, for `record` to put into a file. Needs no right of the process, but memory.
 * Returns 0 or a negative errno. */
int board_keep(const struct sections *sections);

/* Whether `record` has ended, or there is no board. */
bool board_is_over(void);

/* Notes the watcher's process, for which `record` waits when the program has ended. */
void board_note_watcher(pid_t watcher);

/* Notes that the watcher has nothing more to do. */
void board_forget_watcher(pid_t watcher);

#endif
