/* SPDX-License-Identifier: MIT
 * The runtime's own work by the runtime's own word: back-off, a mutex, a collection. The account has all of it in one
 * row; here are the parts of this row that have a word, for the file's section OWN_WORK. */
#ifndef STMLOG_OWN_WORK_H
#define STMLOG_OWN_WORK_H

#include <stdint.h>

#include <stmlog/format.h>

#include "buffer.h"

/* Adds work of `ns` that has just ended. Work without a word (NULL), and of further words than OWN_WORK_WORDS, has no
 * part of its own. Any thread; does not wait. */
#define OWN_WORK_WORDS 16
void own_work_add(const char *word, uint64_t ns);

/* Appends a record for each word. Any thread; does not wait. */
void own_work_copy(struct buffer *records);

/* Forgets all words. Called when a session opens, and in a forked child. */
void own_work_forget(void);

#endif
