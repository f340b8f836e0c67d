/* SPDX-License-Identifier: MIT
 * The file that the session records, read back by the letter of format.h. */
#ifndef WRITTEN_FILE_H
#define WRITTEN_FILE_H

#include "fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <stmlog/format.h>

#include "session_fixture.h"

static char path[64];
static char bytes[1 << 16];
static size_t bytes_len;

static inline void make_file(void)
{
	snprintf(path, sizeof path, "/tmp/stmlog-record-%d", (int)getpid());
	assert_int_equal(stmlog_record(path), 0);
	int fd = open(path, O_RDONLY);
	ssize_t got = read(fd, bytes, sizeof bytes);
	assert_true(got > 0 && (size_t)got < sizeof bytes);
	bytes_len = (size_t)got;
	close(fd);
	unlink(path);
}

/* The payload of a section of the file made last, and its header. */
static inline const char *section(uint32_t type, struct stmlog_section_header *header)
{
	*header = (struct stmlog_section_header){.length = 0};
	for (size_t at = sizeof(struct stmlog_file_header); at < bytes_len;) {
		memcpy(header, bytes + at, sizeof *header);
		at += sizeof *header;
		if (header->type == type)
			return bytes + at;
		at += (header->length + 7) & ~(uint64_t)7;
	}
	fail_msg("there is no section %u", type);
	return NULL;
}

static inline struct stmlog_entry_record entry_record(size_t rank)
{
	struct stmlog_section_header header;
	struct stmlog_entry_record record;
	const char *records = section(STMLOG_SECTION_ENTRIES, &header);
	assert_int_equal(header.record_size, sizeof record);
	assert_true(header.length >= (rank + 1) * sizeof record);
	memcpy(&record, records + rank * sizeof record, sizeof record);
	return record;
}

static inline const char *string(uint32_t offset)
{
	struct stmlog_section_header header;
	const char *strings = section(STMLOG_SECTION_STRINGS, &header);
	assert_true(offset < header.length);
	return strings + offset;
}

static inline bool has_info(const char *line)
{
	struct stmlog_section_header header;
	const char *info = section(STMLOG_SECTION_INFO, &header);
	for (size_t at = 0; at < header.length; at += strlen(info + at) + 1)
		if (strcmp(info + at, line) == 0)
			return true;
	return false;
}

/* How many records the section has, each of this size. */
static inline size_t records_of(uint32_t type, size_t size)
{
	struct stmlog_section_header header;
	section(type, &header);
	assert_int_equal(header.record_size, size);
	return header.length / size;
}

/* The test's thread loses an attempt over the object to the other one's access to `other`. */
static inline void lose_over_pair(uintptr_t object, uintptr_t other)
{
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, NULL);
	loss.local = TB_EMPTY;
	loss.object = object;
	loss.other_object = other;
	lose_1_ms(&loss);
}

static inline void lose_over(uintptr_t object)
{
	lose_over_pair(object, 0);
}

#endif
