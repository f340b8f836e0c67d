/* SPDX-License-Identifier: MIT
 *
 * The runtimes that record into the session: the runtime that has opened it, and others that have joined it since. Each
 * has a name and callbacks. A runtime may leave, because its code is about to be unloaded; its name stays.
 *
 * Invariants: a place that is not FREE keeps its name until the session is opened anew; no two places have the same
 * name and the same callbacks; a callback is called only between runtimes_enter() and runtimes_leave() of its place,
 * and only if the place was IN then.
 */
#ifndef STMLOG_RUNTIMES_H
#define STMLOG_RUNTIMES_H

#include <atomic_ops.h>

#include <stmlog/read.h>

/* FREE -> CHANGING -> IN -> CHANGING -> OUT -> CHANGING -> IN ... */
enum runtime_state { RUNTIME_FREE, RUNTIME_CHANGING, RUNTIME_IN, RUNTIME_OUT };

#define RUNTIME_NAME 64 /* bytes, terminated */

struct runtime {
	volatile AO_t state;
	volatile AO_t callers; /* threads between runtimes_enter() and runtimes_leave() */
	char name[RUNTIME_NAME];
	struct stmlog_setup setup; /* only the callbacks */
	uint64_t code;             /* hash of the modules that the callbacks were in when the runtime joined */
};

extern struct runtime runtimes[STMLOG_RUNTIMES];

/* Forgets all runtimes. Called when a session opens. */
void runtimes_forget(void);

/* Adds a runtime, unless runtimes_has() is true. Returns 0; or -ENOSPC: no place is left. Any thread. */
int runtimes_join(const struct stmlog_setup *setup);

/* Whether a runtime of this name with these callbacks has joined and not left. Any thread. */
bool runtimes_has(const struct stmlog_setup *setup);

/* Removes the runtimes whose modules are not loaded any more, or were replaced by others: their callbacks cannot be
 * called. Counts a mistake for each, since it should have left before. Called before callbacks are called. */
void runtimes_part_unloaded(void);

/* Removes a runtime. Afterwards the callbacks of this setup are not called any more, and no thread is within them.
 * Returns false if no such runtime has joined. Any thread, but not within a callback. */
bool runtimes_part(const struct stmlog_setup *setup);

/* The runtime at a place, whose callbacks may be called until runtimes_leave(). NULL: the place has no runtime.
 * runtimes_leave() must follow in both cases. Requires: place < STMLOG_RUNTIMES. */
const struct stmlog_setup *runtimes_enter(size_t place);
/* Requires runtimes_enter() of the place, by this thread. */
void runtimes_leave(size_t place);

/* Whether the calling thread is between runtimes_enter() and runtimes_leave(), as a callback is. If so, counts `call`
 * as a mistake. Functions that make outputs call callbacks, and functions that change the runtimes wait until callbacks
 * have returned: called within a callback, neither would end. */
bool runtimes_refuse_within(const char *call);

/* All names, each once: "libitm, my-stm". "embedded" stands for runtimes without a name if no other has one. */
#define RUNTIMES_TEXT (STMLOG_RUNTIMES * (RUNTIME_NAME + 2))
void runtimes_names(char text[RUNTIMES_TEXT]);

/* Whether some runtime may find blocks of memory. */
bool runtimes_find_blocks(void);

/* In a forked child: threads within callbacks do not exist there. */
void runtimes_fork_child(void);

#endif
