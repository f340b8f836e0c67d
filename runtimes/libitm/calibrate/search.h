/* SPDX-License-Identifier: MIT
 *
 * Copies libitm's memory, of which some may not be mapped, and searches the copies for the word that has changed as
 * expected between them.
 */
#ifndef ITM_CALIBRATE_SEARCH_H
#define ITM_CALIBRATE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libitm_layout.h"

/* ---- copies ---- */

/* Copies memory by way of the kernel; false: not all of it can be read. probe_open() comes first; false: it failed. */
bool probe_open(void);
bool probe_read(void *unused, uintptr_t address, void *to, size_t size);

/* The writable data of the module that has `code`. size 0: the module has none, or more than one part. */
struct probe_data {
	uintptr_t start;
	size_t size;
};
struct probe_data probe_data_of(const void *code);

/* ---- searches ---- */

/* The result of each search is the offset of the only word that fits; SEARCH_NOWHERE: none fits, or several do. */
#define SEARCH_NOWHERE SIZE_MAX

/* [ITM_REASONS] 32-bit counters in a row, of which each has risen by risen[i]. */
size_t search_counters(const void *before, const void *after, size_t size, const uint32_t risen[ITM_REASONS]);

/* A 64-bit word that has risen by `risen`. */
size_t search_risen(const void *before, const void *after, size_t size, uint64_t risen);

/* Copies `size` bytes from `address` of the memory that is searched; false: they cannot be read. `argument`: the one
 * that the caller has given. */
typedef bool search_read(void *argument, uintptr_t address, void *to, size_t size);

/* The words that may be the pointer searched for: at first all, then fewer with each search_narrow_pointers(). Owned by
 * the caller. */
struct search_pointers {
	bool *is_ruled_out; /* [size / 8] */
	size_t size;        /* bytes to search */
};

/* Keeps only pointers p for which the 64-bit word at p + bytes has this value. search_pointer() is the result then. */
void search_narrow_pointers(struct search_pointers *pointers, const void *memory, size_t bytes, uint64_t word,
	search_read *read, void *argument);
size_t search_pointer(const struct search_pointers *pointers);

/* A 32-bit word that has the value values[i] in memory[i], for each i. */
size_t search_values(const void *const *memory, const uint32_t *values, size_t times, size_t size);

#endif
