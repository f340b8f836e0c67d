/* SPDX-License-Identifier: MIT
 *
 * The culprit of a failed attempt, and the address of the conflict. The evidence is what the calling thread has read,
 * or the lock that it needed; from there the search leads to another thread's write.
 */
#ifndef ITM_BLAME_H
#define ITM_BLAME_H

#include <stddef.h>

#include <atomic_ops.h>

#include <stmlog/agent.h>

#include "libitm_layout.h"

struct itm_thread;

/* The calling thread gets a ring, and releases it when nothing reads the ring as that of this thread any more. Without
 * memory the thread has none, and its writes are not recorded. */
void itm_blame_join_ring(void);
void itm_blame_leave_ring(void);

/* Create and destroy the calling thread's list of reads, and the culprit found last, in so many bytes of memory. This
 * holds zeros, or what itm_blame_destroy() has left there. */
size_t itm_blame_size(void);
void itm_blame_create(void *memory);
void itm_blame_destroy(struct tb_stack *stack);

/* An attempt of a measured transaction begins. */
void itm_blame_begin(void);

/* From now on barriers keep the words of these locks; NULL: they do not. Without words, and where all transactions are
 * measured, reads take a shorter way (barriers.S). */
void itm_blame_see_words(struct itm_thread *self, const volatile AO_t *table);

/* How many reads of the attempt under way, or of one that has just committed, were recorded; 0: that is not known, or
 * code without data barriers has run. */
size_t itm_blame_reads(const struct itm_thread *self);

/* To be called first when an attempt of a measured transaction has failed: if the last entry was a barrier that only
 * reads, sets kind, size, address and slot to those of that read. */
void itm_blame_note_read(struct itm_thread *self);

/* To be called when the attempt has failed, while libitm's locks can still be read: keeps the holder of the lock that
 * the access needed. */
void itm_blame_look(void);

/* Fills in the culprit and the object of the loss, as far as they can be found; and where a read has become out of
 * date, the place of that read. If this takes a search, it calls stmlog_failed() first, so that the time of the search
 * does not count as lost. */
void itm_blame(enum itm_reason reason, struct stmlog_loss *loss);

#endif
