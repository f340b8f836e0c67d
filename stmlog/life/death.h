/* SPDX-License-Identifier: MIT
 *
 * Signals that end a process which does not handle them: INT, TERM, HUP and QUIT, and those of faults and abort(). With
 * the option kill=flush the watcher makes the outputs first. Then the process dies as it would have died before: of the
 * same signal, with the same details, at the same place of the program; a core dump is that of the program.
 *
 * The thread that got the signal waits in a handler meanwhile, since it would have ended there. It does not wait if the
 * signal came in the middle of a call of this library, which the watcher may have to wait for: such a thread finishes
 * its call, and the watcher raises the signal afterwards; a thread with a fault there ends the process at once. Nor
 * does it wait any longer when the watcher has got no further for two seconds, because the interrupted code may hold a
 * lock that some callback of the runtime needs. A signal that comes two seconds after the first ends the process at
 * once.
 *
 * Stack: the handler runs on the alternate signal stack of the thread, if it has one. Without one a fault for want of
 * stack ends the process at once.
 */
#ifndef STMLOG_DEATH_H
#define STMLOG_DEATH_H

#include <pthread.h>
#include <semaphore.h>

/* Catches those of the signals that the program neither handles nor ignores. `wake` is posted when a signal has come;
 * the thread `watcher` then calls death_prepared() as soon as the outputs are made. Both must last until
 * death_let_go(). */
void death_catch(sem_t *wake, pthread_t watcher);

/* The signal that is about to end the process; 0: none. Any thread. */
int death_signal(void);

/* Lets the process die of death_signal(). Returns if another thread does that. The watcher only. */
void death_prepared(void);

/* Gives the signals their default actions back. A signal that has come before stays death_signal(). */
void death_let_go(void);

#endif
