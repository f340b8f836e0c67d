/* SPDX-License-Identifier: MIT
 *
 * Because of whom an attempt failed, and over which address: from the calling thread's own reads and the lock that it
 * met to another thread's write.
 */
#ifndef ITM_BLAME_H
#define ITM_BLAME_H

#include <stdint.h>

#include <stmlog/runtime.h>

#include "libitm_layout.h"

struct itm_thread;

/* The calling thread's record of what it reads and writes; without memory it leaves none. */
void itm_blame_create(void);
void itm_blame_destroy(struct tb_stack *stack);

/* An attempt begins, which is measured. */
void itm_blame_begin(void);

/* The thread's list of reads, which ends at reads_at; NULL: it has none. */
const uint64_t *itm_blame_reads(const struct itm_thread *self);

/* The list is empty. Requires that there is one. */
void itm_blame_forget_reads(struct itm_thread *self);

/* The attempt fails, and libitm's locks are still there: who holds the one that it has run into? */
void itm_blame_look(void);

/* Fills in whom the attempt was lost to and over what, as far as that can be found out. If that takes
 * time, it is not the attempt's: stmlog_failed() is called first. */
void itm_blame(enum itm_reason reason, struct stmlog_loss *loss);

#endif
