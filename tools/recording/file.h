/* SPDX-License-Identifier: MIT
 * A recording file as sections: verifies bounds and checksums, but not the contents. Of a damaged file it keeps the
 * whole sections, and a sentence about the damage. Uses at most as much memory as the file is large, and a constant. */
#ifndef FILE_H
#define FILE_H

#include <stdbool.h>
#include <stdint.h>

#include <stmlog/format.h>

struct file_section {
	uint32_t type;
	uint32_t record_size;
	uint64_t length;
	uint8_t *bytes; /* the payload; NULL: it is empty, or the type is not known */
};

/* Invariants: sections[0 .. section_count) are whole, their types ascend;
 * is_complete <=> the last of them is END and the file ends there <=> fault is empty;
 * whole_len is where the next section would begin. */
struct file {
	uint64_t size;
	uint64_t whole_len;
	bool is_complete;
	char fault[200];
	uint32_t section_count;
	struct file_section sections[STMLOG_SECTION_END + 1];
};

/* The path - is stdin. Returns false, with `fault` set, if the file is no recording or cannot be read. Returns true
 * with `fault` set if it ends early or is damaged behind whole_len. Call file_fini() in any case. */
bool file_read(struct file *file, const char *path);
void file_fini(struct file *file);

/* Whether it is a regular file that begins as a recording does. */
bool file_is_recording(const char *path);

/* NULL: there is no such section. Borrowed until file_fini(). */
struct file_section *file_section(struct file *file, enum stmlog_section type);

const char *file_section_name(uint32_t type);

#endif
