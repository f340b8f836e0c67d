/* SPDX-License-Identifier: MIT
 * This process's row of the board (stmlog/board.h). Without the option `board`, or without a free row, all of this does
 * nothing. */
#ifndef STMLOG_LIFE_BOARD_H
#define STMLOG_LIFE_BOARD_H

#include <stdbool.h>
#include <sys/types.h>

#include <stmlog/board.h>

/* Maps the board of the option `board` and takes a row. The file is not needed afterwards: the program may lose the
 * right to open it, or all its descriptors. */
void board_open(void);

/* In a forked child: takes a row of its own. If session.pid is not the child's number, it has none, and only
 * board_note_filtered() has an effect. */
void board_fork_child(bool has_number);

/* Adds a recording that is not written because of a filter of system calls. */
void board_note_filtered(void);

/* There is something to be recorded: a note for `record`, once. Any thread. */
void board_note_begun(void);

/* A note for `record`. With an error, a negative errno, the recording could not be written. Any thread. */
void board_note(enum stmlog_board_state state, int error);

/* `record` waits for this process, the watcher, when the program has ended. */
void board_note_watcher(pid_t watcher);

/* The watcher has nothing more to do. */
void board_forget_watcher(pid_t watcher);

#endif
