/* SPDX-License-Identifier: MIT
 *
 * Reads a program's ELF file. Nothing in the file is trusted: whatever sizes and offsets it has, only its own bytes are
 * read.
 */
#ifndef GHC_IMAGE_H
#define GHC_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image {
	const unsigned char *bytes;
	size_t size;
};

/* Whether it is a program for this processor that runs at the addresses in its file: not position-independent. */
bool image_is_fixed(const struct image *image);

struct image_symbol {
	const char *name;
	uintptr_t address; /* 0: the program does not define it */
};

/* Looks for symbols that more than one source file could use, so that a name has one meaning only: those local to a
 * source file are passed over. Returns false if the file has no symbol table (it is stripped), if that table is
 * damaged, or if a name has two addresses. */
bool image_find_symbols(const struct image *image, struct image_symbol *symbols, size_t len);

/* Where a part of the file lies in memory. */
struct image_segment {
	uintptr_t start;
	size_t size;
};

/* Finds the segments with code, which are not writable; at most `max`. Returns how many there are. */
size_t image_find_code(const struct image *image, struct image_segment *segments, size_t max);

/* Whether a segment of the file, of code or of data, has the bytes. */
bool image_has(const struct image *image, uintptr_t address, size_t len);

#endif
