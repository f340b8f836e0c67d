/* SPDX-License-Identifier: MIT */
#include "sections.h"

#include <string.h>

#include <stmlog/format.h>
#include <zlib.h>

/* The header that we write: the reader skips what is behind its own 16 bytes. */
struct header {
	struct stmlog_file_header known;
	uint8_t choice;
	uint8_t unused[7];
};

uint8_t fuzz_choice(const uint8_t *bytes, size_t len)
{
	struct header header;
	if (len < sizeof header)
		return 0;
	memcpy(&header, bytes, sizeof header);
	return header.known.header_size >= sizeof header ? header.choice : 0;
}

static void take(struct fuzz_sections *sections, const struct stmlog_section_header *header, const uint8_t *payload)
{
	struct fuzz_section *section = sections->at[sections->count++];
	section->type = header->type;
	section->record_size = header->record_size;
	section->len = header->length;
	if (section->len > 0)
		memcpy(section->bytes, payload, section->len);
}

bool fuzz_take_apart(struct fuzz_sections *sections, const uint8_t *bytes, size_t len)
{
	struct stmlog_file_header file;
	struct stmlog_section_header header;
	for (size_t i = 0; i < MAX_SECTIONS; i++)
		sections->at[i] = &sections->room[i];
	sections->count = 0;
	sections->choice = fuzz_choice(bytes, len);
	if (len < sizeof file)
		return false;
	memcpy(&file, bytes, sizeof file);
	if (file.header_size < sizeof file || file.header_size > len)
		return false;
	for (size_t at = file.header_size; len - at >= sizeof header && sections->count < MAX_SECTIONS;) {
		memcpy(&header, bytes + at, sizeof header);
		at += sizeof header;
		if (header.length > len - at || header.length > MAX_PAYLOAD)
			break;
		take(sections, &header, bytes + at);
		size_t padded = (header.length + 7) & ~(size_t)7;
		at += padded < len - at ? padded : len - at;
	}
	return sections->count > 0;
}

size_t fuzz_put_together(const struct fuzz_sections *sections, uint8_t *bytes, size_t max)
{
	struct header file = {.known = {.version = STMLOG_FILE_VERSION, .header_size = sizeof file}};
	size_t at = sizeof file;
	memcpy(file.known.magic, STMLOG_FILE_MAGIC, sizeof file.known.magic);
	file.choice = sections->choice;
	if (max < sizeof file)
		return 0;
	memcpy(bytes, &file, sizeof file);
	for (size_t i = 0; i < sections->count; i++) {
		const struct fuzz_section *section = sections->at[i];
		size_t padded = (section->len + 7) & ~(size_t)7;
		struct stmlog_section_header header = {section->type, section->record_size, section->len,
			(uint32_t)crc32_z(0, section->bytes, section->len), 0};
		header.header_crc =
			(uint32_t)crc32_z(0, (const void *)&header, offsetof(struct stmlog_section_header, header_crc));
		if (max - at < sizeof header + padded)
			return 0;
		memcpy(bytes + at, &header, sizeof header);
		memset(bytes + at + sizeof header, 0, padded);
		memcpy(bytes + at + sizeof header, section->bytes, section->len);
		at += sizeof header + padded;
	}
	return at;
}
