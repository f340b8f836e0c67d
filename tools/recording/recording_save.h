/* SPDX-License-Identifier: MIT
 * Writes a recording file, section by section, as format.h says. */
#ifndef RECORDING_SAVE_H
#define RECORDING_SAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stmlog/format.h>

/* Invariant: len <= UINT32_MAX, so that references of 32 bits reach all of it. */
struct recording_section {
	enum stmlog_section type;
	uint32_t record_size;
	const void *bytes;
	size_t len;
};

/* Requires sections in the order of their types, without END, that keep their invariant. Returns false, prints why, and
 * leaves an older file as it was, if the file cannot be written. */
bool recording_save(const char *path, const struct recording_section *sections, size_t count);

#endif
