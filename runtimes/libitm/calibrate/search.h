/* SPDX-License-Identifier: MIT
 *
 * Which word it is that has done what was expected: in copies of memory that were taken before and after.
 * An answer is one place, or none: SEARCH_NOWHERE where no place fits, and where several do.
 */
#ifndef ITM_CALIBRATE_SEARCH_H
#define ITM_CALIBRATE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libitm_layout.h"

#define SEARCH_NOWHERE SIZE_MAX

/* Where in `size` bytes [ITM_REASONS] 32-bit counters stand that have risen by that much each. */
size_t search_counters(const void *before, const void *after, size_t size, const uint32_t risen[ITM_REASONS]);

/* Where the one 64-bit word stands that has risen by that much. */
size_t search_risen(const void *before, const void *after, size_t size, uint64_t risen);

/* Whether copies of so many bytes may be read: reads what stands at `address` of the memory that is looked at. */
typedef bool search_read(void *of, uintptr_t address, void *to, size_t size);

/* Places where pointers stand that have fitted each time so far. At first: all. Owned by the caller. */
struct search_pointers {
	bool *is_out; /* [size / 8] */
	size_t size;  /* bytes that are looked through */
};

/* Leaves those whose pointer, `bytes` further on, is to a word of this value. */
void search_narrow_pointers(
	struct search_pointers *pointers, const void *memory, size_t bytes, uint64_t word, search_read *read, void *of);
size_t search_pointer(const struct search_pointers *pointers);

/* Where the one 32-bit word stands that had values[i] in memory[i], for each i. */
size_t search_values(const void *const *memory, const uint32_t *values, size_t times, size_t size);

#endif
