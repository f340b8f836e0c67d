/* SPDX-License-Identifier: MIT
 *
 * Opens and closes the attaching of threads. A thread gets a record by stmlog_thread_open(), and loses it by
 * stmlog_thread_close() or when it ends. These two functions are declared in runtime.h.
 */
#ifndef STMLOG_ATTACH_H
#define STMLOG_ATTACH_H

/* From here until attach_close(), a thread that ends is detached. `attached` is called by each thread that attaches, as
 * soon as it has its record; in a forked child, whose thread is attached already, it is called when that thread
 * attaches again. Returns 0 or a negative errno. Called by the thread that opens or closes the session. */
int attach_open(void (*attached)(void));
void attach_close(void);

/* Detaches threads that have ended while attached: a destructor of thread-specific data may attach a thread after the
 * destructor that detaches it has run. Requires the registry's lock. Called when all outputs were made. */
void attach_leave_ended(void);

/* Called in a forked child, before it has a second thread. */
void attach_fork_child(void);

#endif
