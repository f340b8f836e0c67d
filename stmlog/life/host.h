/* SPDX-License-Identifier: MIT
 * Tells the watcher's process whether the program's process still runs. */
#ifndef STMLOG_LIFE_HOST_H
#define STMLOG_LIFE_HOST_H

#include <stdbool.h>
#include <sys/types.h>

/* Remembers the program's process and its addresses. Called by the program, before it may call exec(). */
void host_note(pid_t pid);

/* Whether the process has ended. The caller of this and of the following functions is a child of the process. Makes one
 * system call; async-signal-safe. */
bool host_has_ended(void);

/* Whether the process has ended, or has left its memory by exec(). Makes some system calls. */
bool host_has_left(void);

/* Returns the signal that has ended the process; 0: none, or its parent has read its status already. */
int host_signal(void);

#endif
