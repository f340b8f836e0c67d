/* SPDX-License-Identifier: MIT
 *
 * The fast path into transactions where all are measured closely (sample=1). Nearly all of them commit at the first
 * attempt, wait for no lock in begin, and are in no timeline, so only the clock is read. For these the fast path does
 * what the slow path does (attempts.c, commit.c), but nothing that only other transactions need. Any transaction may
 * take the slow path.
 */
#ifndef ITM_EXACT_H
#define ITM_EXACT_H

#include <stdbool.h>
#include <stdint.h>

#include "thread.h"

/* Whether the next transactions of the calling thread may begin on the fast path. To be called when a transaction has
 * begun on the slow path, and libitm's begin has returned. */
bool itm_exact_is_possible(const struct itm_thread *self);

/* For begin.S, if self->is_exact is set: begins a transaction on the fast path. Returns false, and has changed nothing,
 * if it must begin on the slow path. */
bool itm_exact_begin(uintptr_t *slot, uint32_t properties);

#endif
