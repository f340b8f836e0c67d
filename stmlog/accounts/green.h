/* SPDX-License-Identifier: MIT
 * The green threads that runtimes have told of (stmlog_green_thread()), with what each has lost and has made others
 * lose, for the file's section GREEN. */
#ifndef STMLOG_GREEN_H
#define STMLOG_GREEN_H

#include <stmlog/agent.h>
#include <stmlog/format.h>

#include "buffer.h"

/* Adds a loss of `ns` to the green threads of both sides, unless the program asked for it (user-abort). `extra`: for
 * how many other losses it stands. Any thread; does not wait. */
void green_add(const struct stmlog_loss *loss, uint64_t ns, uint32_t extra);

/* Appends all records to the section GREEN. Any thread; does not wait. */
void green_copy(struct buffer *records);

/* Forgets all green threads. Called when a session opens, and in a forked child. */
void green_forget(void);

#endif
