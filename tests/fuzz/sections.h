/* SPDX-License-Identifier: MIT
 * A recording taken apart into its sections, so that the mutator can change one and put all together again with right
 * headers, lengths and checksums. */
#ifndef FUZZ_SECTIONS_H
#define FUZZ_SECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* MAX_PAYLOAD: of one section. */
enum { MAX_SECTIONS = 24, MAX_PAYLOAD = 1 << 16 };

struct fuzz_section {
	uint32_t type;
	uint32_t record_size;
	size_t len;
	uint8_t bytes[MAX_PAYLOAD];
};

/* Invariant: at[0 .. MAX_SECTIONS) are all of room[], in any order; the first `count` of them are the file's. */
struct fuzz_sections {
	uint8_t choice; /* a byte of the file's header that readers skip: views_fuzz.c chooses the view by it */
	size_t count;
	struct fuzz_section *at[MAX_SECTIONS];
	struct fuzz_section room[MAX_SECTIONS];
};

/* Returns false if the bytes are no recording. What cannot be followed, or has no room, is left out. */
bool fuzz_take_apart(struct fuzz_sections *sections, const uint8_t *bytes, size_t len);

/* Returns the length; 0: more than `max`. */
size_t fuzz_put_together(const struct fuzz_sections *sections, uint8_t *bytes, size_t max);

/* The choice of a file; 0 if it has none. */
uint8_t fuzz_choice(const uint8_t *bytes, size_t len);

#endif
