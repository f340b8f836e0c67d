/* SPDX-License-Identifier: MIT
 * For rtm.c: what a played hardware transaction has written, to be undone when it fails in its middle. */
#ifndef RTM_UNDO_H
#define RTM_UNDO_H

#include <signal.h>

/* Called once. `pages`: how many pages a transaction writes to before it fails, 0: it never does so. `fail` is called
 * then, in a signal handler, with what is to be changed for the thread to go on elsewhere; all is undone by then. */
void undo_prepare(unsigned pages, void (*fail)(void *context));

/* From here on the process's memory is watched, but for that of whoever calls this; until undo_forget(). Requires that
 * no other thread writes anything meanwhile. */
void undo_watch(void);
void undo_forget(void);

/* From now on the calling thread's signals are handled on a stack that is not watched; tells which, if it was not so
 * before. */
void undo_thread(stack_t *stack);

#endif
