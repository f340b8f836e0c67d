/* SPDX-License-Identifier: MIT
 * Sums of the process by names that a runtime gives, for two sections of the file: of losses by green thread (GREEN),
 * and of the runtime's own work by word (OWN_WORK). Any thread adds to them and copies them, and none waits. */
#ifndef STMLOG_RUNTIME_SUMS_H
#define STMLOG_RUNTIME_SUMS_H

#include <stdint.h>

#include <stmlog/agent.h>
#include <stmlog/format.h>

#include "buffer.h"

/* ---- green threads ----
 *
 * Those that runtimes have told of (stmlog_green_thread()), with the time that each has lost and has made others
 * lose. */

/* Adds a loss of `ns` to the green threads of both sides, unless the program asked for it (user-abort). `extra`: for
 * how many other losses it stands. Any thread; does not wait. */
void green_add(const struct stmlog_loss *loss, uint64_t ns, uint32_t extra);

/* Appends all records to the section GREEN. Any thread; does not wait. */
void green_copy(struct buffer *records);

/* Forgets all green threads. Called when a session opens, and in a forked child. */
void green_forget(void);

/* ---- own work ----
 *
 * The runtime's own work by the runtime's own word: back-off, a mutex, a collection. The account has all of it in one
 * row; here are the parts of this row that have a word. */

/* Adds work of `ns` that has just ended. Work without a word (NULL), and of further words than OWN_WORK_WORDS, has no
 * part of its own. Any thread; does not wait. */
#define OWN_WORK_WORDS 16
void own_work_add(const char *word, uint64_t ns);

/* Appends a record for each word. Any thread; does not wait. */
void own_work_copy(struct buffer *records);

/* Forgets all words. Called when a session opens, and in a forked child. */
void own_work_forget(void);

#endif
