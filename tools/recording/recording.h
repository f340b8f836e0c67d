/* SPDX-License-Identifier: MIT
 * A recording: read from its file, as sections and as records, and written to a file. */
#ifndef RECORDING_H
#define RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stmlog/format.h>

#include "records.h"

/* ---- recording.c: the records ---- */

#define RECORDING_USUAL_FILE "stmlog.data" /* what `record` writes and the other commands read, if no file is named */

enum recording_status {
	RECORDING_WHOLE,
	RECORDING_PARTIAL, /* fault says where it ends; info, totals and threads are whole */
	RECORDING_UNUSABLE /* fault says why */
};

/* Loads the file; the path - is stdin. Call recording_fini() in any case. */
enum recording_status recording_load(struct recording *recording, const char *path);

/* The same in two: a file that is moved after it was loaded is told of where it is then. */
enum recording_status recording_load_untold(struct recording *recording, const char *path);
void recording_tell_cut(const struct recording *recording, const char *path);

void recording_fini(struct recording *recording);

/* ---- file.c: a file as sections ----
 * Bounds and checksums are verified, but not the contents. Of a damaged file the whole sections are kept, and a
 * sentence about the damage. Uses at most as much memory as the file is large, and a constant. */

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

/* ---- file.c: writing ---- */

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
