/* SPDX-License-Identifier: MIT
 *
 * Notes allocations and frees. Any thread may call. Memory that is allocated while a note is made (by the unwinder, or
 * by a signal handler) is not noted. errno is kept.
 */
#ifndef OBJECTS_NOTE_H
#define OBJECTS_NOTE_H

#include <stddef.h>
#include <stdint.h>

/* The hook whose return address lies in `slot` has allocated `memory`; NULL: it has failed. */
void note_allocated(const void *memory, size_t size, const uintptr_t *slot);

/* note_freed(): `memory` is about to be freed. It must be noted before it happens: afterwards another thread may have
 * got the memory, and have noted that. note_not_freed(): it was not freed after all. */
void note_freed(const void *memory);
void note_not_freed(const void *memory);

#endif
