/* SPDX-License-Identifier: MIT
 * Writes a recording file, section by section, as format.h says. */
#ifndef RECORDING_SAVE_H
#define RECORDING_SAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stmlog/format.h>

/* At most UINT32_MAX bytes each, as its references demand. */
struct recording_section {
	enum stmlog_section type;
	uint32_t record_size;
	const void *bytes;
	size_t len;
};

/* Sections in the order of their types, without END. False: nothing was changed, and one line told why. */
bool recording_save(const char *path, const struct recording_section *sections, size_t count);

#endif
