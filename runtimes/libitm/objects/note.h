/* SPDX-License-Identifier: MIT
 *
 * Notes allocations and frees. Any thread may call. Memory that is allocated while a note is made (by the unwinder, or
 * by a signal handler) is not noted. errno is kept.
 */
#ifndef OBJECTS_NOTE_H
#define OBJECTS_NOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <atomic_ops.h>

/* For note_is_wanted() only. */
extern volatile AO_t note_is_watching;

/* Whether notes are kept: from stmlog_objects_watch() on. */
static inline bool note_is_wanted(void)
{
	return AO_load_acquire(&note_is_watching) != 0; /* partner: stmlog_objects_watch() */
}

/* The hook whose return address lies in `slot` has allocated `memory`; NULL: it has failed. */
void note_allocated(const void *memory, size_t size, const uintptr_t *slot);

/* note_freed(): `memory` is about to be freed. It must be noted before it happens: afterwards another thread may have
 * got the memory, and have noted that. note_not_freed(): it was not freed after all. */
void note_freed(const void *memory);
void note_not_freed(const void *memory);

#endif
