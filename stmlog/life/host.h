/* SPDX-License-Identifier: MIT
 * The program's process, as the watcher's process sees it. */
#ifndef STMLOG_LIFE_HOST_H
#define STMLOG_LIFE_HOST_H

#include <stdbool.h>
#include <sys/types.h>

/* The program's process, as it is now. Called by the program, before it may call exec(). */
void host_note(pid_t pid);

/* Whether the process has ended. The caller of this, and of all below, is a child of it. One system call;
 * async-signal-safe. */
bool host_has_ended(void);

/* Whether it has ended, or has left its memory by exec(). Some system calls. */
bool host_has_left(void);

/* The signal that has ended it; 0: none, or its parent has asked for its status already. */
int host_signal(void);

#endif
