/* SPDX-License-Identifier: MIT
 * For rtm.c: what a played hardware transaction has written, to be undone when it fails in its middle. */
#ifndef RTM_UNDO_H
#define RTM_UNDO_H

#include <signal.h>

/* To be called once. `pages`: to how many pages a transaction may write before it fails; 0: it never fails so. Then
 * `fail` is called in a signal handler, when all writes are undone; it may change the context so that the thread goes
 * on elsewhere. */
void undo_prepare(unsigned pages, void (*fail)(void *context));

/* From here on the process's memory is watched, except the caller's own, until undo_forget(). Requires that no other
 * thread writes anything meanwhile. */
void undo_watch(void);
void undo_forget(void);

/* From now on the calling thread's signals are handled on a stack that is not watched. Returns that stack, if it is a
 * new one. */
void undo_thread(stack_t *stack);

#endif
