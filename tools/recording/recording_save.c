/* SPDX-License-Identifier: MIT */
#include "recording_save.h"

#include <stdio.h>
#include <string.h>

#include <zlib.h>

#include "check.h"
#include "output.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "records are written as they lie in memory");

static uint32_t crc_of(const void *bytes, size_t len)
{
	return (uint32_t)crc32_z(0, len != 0 ? bytes : "", len);
}

static void write_section(FILE *file, const struct recording_section *section)
{
	static const char zeros[8];
	struct stmlog_section_header header = {
		.type = section->type,
		.record_size = section->record_size,
		.length = section->len,
		.payload_crc = crc_of(section->bytes, section->len),
	};
	header.header_crc = crc_of(&header, offsetof(struct stmlog_section_header, header_crc));
	fwrite(&header, sizeof header, 1, file);
	if (section->len != 0)
		fwrite(section->bytes, 1, section->len, file);
	fwrite(zeros, 1, -section->len & 7u, file);
}

bool recording_save(const char *path, const struct recording_section *sections, size_t count)
{
	static const struct recording_section end = {.type = STMLOG_SECTION_END};
	struct stmlog_file_header header = {.version = STMLOG_FILE_VERSION, .header_size = sizeof header};
	struct output output;
	if (!output_begin_binary(&output, path))
		return false;
	memcpy(header.magic, STMLOG_FILE_MAGIC, sizeof header.magic);
	fwrite(&header, sizeof header, 1, output.file);
	for (size_t i = 0; i < count; i++) {
		REQUIRES(sections[i].type < STMLOG_SECTION_END && sections[i].len <= UINT32_MAX);
		REQUIRES(i == 0 || sections[i - 1].type < sections[i].type);
		write_section(output.file, &sections[i]);
	}
	write_section(output.file, &end);
	return output_end(&output);
}
