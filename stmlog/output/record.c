/* SPDX-License-Identifier: MIT
 * Writes the recording file from its sections. NOTES.txt, "The file, byte by byte", has the reasons. */
#include "artifact.h"
#include "check.h"
#include "out.h"
#include "sections.h"
#include "session.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "records are written as they lie in memory");
_Static_assert(sizeof(struct stmlog_file_header) == 16 && sizeof(struct stmlog_section_header) == 24,
	"the format's headers have no hidden padding");

static void write_bytes(struct out *out, uint32_t type, uint32_t record_size, const void *bytes, size_t len)
{
	static const char zeros[8];
	struct stmlog_section_header header = {
		.type = type,
		.record_size = record_size,
		.length = len,
		.payload_crc = len != 0 ? crc32_of(0, bytes, len) : 0,
	};
	header.header_crc = crc32_of(0, &header, sizeof header - sizeof header.header_crc);
	out_bytes(out, &header, sizeof header);
	if (len != 0)
		out_bytes(out, bytes, len);
	out_bytes(out, zeros, (8 - len % 8) % 8);
}

static void write_section(struct out *out, uint32_t type, uint32_t record_size, const struct buffer *payload)
{
	write_bytes(out, type, record_size, payload->bytes, payload->len);
}

static void write_timeline(struct out *out, const struct sections *sections)
{
	const struct stmlog_timeline *timeline = sections->timeline;
	if (timeline == NULL)
		return;
	write_section(out, STMLOG_SECTION_PLACES, sizeof(struct stmlog_place_record), &sections->places);
	write_bytes(out, STMLOG_SECTION_EVENTS, sizeof(struct stmlog_event_record), timeline->events,
		timeline->len * sizeof *timeline->events);
}

static int write_all(const struct sections *sections, struct out *out)
{
	static const struct stmlog_file_header header = {
		.magic = {'S', 'T', 'M', 'L', 'O', 'G', '\r', '\n'},
		.version = STMLOG_FILE_VERSION,
		.header_size = sizeof header,
	};
	const struct intern *intern = &sections->intern;
	out_bytes(out, &header, sizeof header);
	write_section(out, STMLOG_SECTION_INFO, 0, &sections->info);
	write_section(out, STMLOG_SECTION_STRINGS, 0, &intern->strings);
	write_section(out, STMLOG_SECTION_MODULES, sizeof(struct stmlog_module_record), &intern->modules);
	write_section(out, STMLOG_SECTION_SITES, sizeof(struct stmlog_site_record), &intern->sites);
	write_section(out, STMLOG_SECTION_TRACEBACKS, 0, &intern->tracebacks);
	write_section(out, STMLOG_SECTION_TOTALS, sizeof(struct stmlog_total_record), &sections->totals);
	write_section(out, STMLOG_SECTION_THREADS, sizeof(struct stmlog_thread_record), &sections->threads);
	write_section(out, STMLOG_SECTION_ENTRIES, sizeof(struct stmlog_entry_record), &sections->entries);
	write_section(out, STMLOG_SECTION_BLOCKS, sizeof(struct stmlog_block_record), &sections->blocks);
	write_timeline(out, sections);
	if (session.has_paths)
		write_section(out, STMLOG_SECTION_PATHS, sizeof(struct stmlog_path_record), &sections->paths);
	write_section(
		out, STMLOG_SECTION_TRANSACTIONS, sizeof(struct stmlog_transaction_record), &sections->transactions);
	if (sections->blocked.len != 0)
		write_section(out, STMLOG_SECTION_BLOCKED, sizeof(struct stmlog_blocked_record), &sections->blocked);
	if (sections->open.len != 0)
		write_section(out, STMLOG_SECTION_OPEN, sizeof(struct stmlog_open_record), &sections->open);
	if (sections->green.len != 0)
		write_section(out, STMLOG_SECTION_GREEN, sizeof(struct stmlog_green_record), &sections->green);
	if (sections->own_work.len != 0)
		write_section(out, STMLOG_SECTION_OWN_WORK, sizeof(struct stmlog_own_work_record), &sections->own_work);
	if (sections->labels.len != 0)
		write_section(out, STMLOG_SECTION_LABELS, sizeof(struct stmlog_label_record), &sections->labels);
	write_bytes(out, STMLOG_SECTION_END, 0, NULL, 0);
	return out_end(out);
}

int sections_record(const struct sections *sections, const char *path)
{
	REQUIRES(sections->use == SECTIONS_OF_FILE);
	struct artifact artifact;
	struct out out;
	int error = artifact_begin(&artifact, path, ARTIFACT_AT_ONCE);
	if (error != 0)
		return error;
	out_begin(&out, artifact.fd);
	return artifact_end(&artifact, write_all(sections, &out));
}

size_t sections_record_into(const struct sections *sections, char *memory, size_t room)
{
	struct out out;
	REQUIRES(sections->use == SECTIONS_OF_FILE);
	out_begin_memory(&out, memory, room);
	write_all(sections, &out);
	return out.done;
}

static int record_to(const struct sections *sections, const void *path)
{
	return sections_record(sections, path);
}

int stmlog_record(const char *path)
{
	return sections_run(SECTIONS_OF_FILE, record_to, path);
}
