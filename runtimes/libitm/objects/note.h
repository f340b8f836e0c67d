/* SPDX-License-Identifier: MIT
 *
 * What becomes of memory, noted. Any thread. What is allocated within a note (by the unwinder, or by a signal
 * handler) is not noted itself; errno is kept.
 */
#ifndef OBJECTS_NOTE_H
#define OBJECTS_NOTE_H

#include <stddef.h>
#include <stdint.h>

/* The hook whose return address lies in `slot` has got memory, or NULL. */
void note_allocated(const void *memory, size_t size, const uintptr_t *slot);

/* Memory is about to be freed. To be called before it is: afterwards another thread may have got it, and have noted
 * that. And: after all, it was not. */
void note_freed(const void *memory);
void note_kept(const void *memory);

#endif
