/* SPDX-License-Identifier: MIT */
#include "recording_writer.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* CRC-32 (ISO-HDLC), bit by bit from its definition. */
static uint32_t crc_of(const uint8_t *bytes, size_t len)
{
	uint32_t crc = 0xffffffffu;
	for (size_t i = 0; i < len; i++) {
		crc ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			crc = (crc >> 1) ^ (0xedb88320u & (0u - (crc & 1)));
	}
	return ~crc;
}

static void append(struct writer_blob *blob, const void *bytes, size_t len)
{
	if (blob->len + len >= blob->cap) {
		blob->cap = 2 * (blob->len + len) + 1;
		blob->bytes = realloc(blob->bytes, blob->cap);
		assert(blob->bytes != NULL);
	}
	if (len > 0)
		memcpy(blob->bytes + blob->len, bytes, len);
	blob->len += len;
}

void writer_init(struct writer *writer)
{
	memset(writer, 0, sizeof *writer);
	for (uint32_t type = STMLOG_SECTION_INFO; type <= STMLOG_SECTION_ENTRIES; type++)
		writer->has[type] = 1;
	writer->has[STMLOG_SECTION_END] = 1;
	writer->record_size[STMLOG_SECTION_MODULES] = sizeof(struct stmlog_module_record);
	writer->record_size[STMLOG_SECTION_SITES] = sizeof(struct stmlog_site_record);
	writer->record_size[STMLOG_SECTION_TOTALS] = sizeof(struct stmlog_total_record);
	writer->record_size[STMLOG_SECTION_THREADS] = sizeof(struct stmlog_thread_record);
	writer->record_size[STMLOG_SECTION_ENTRIES] = sizeof(struct stmlog_entry_record);
	writer->record_size[STMLOG_SECTION_BLOCKS] = sizeof(struct stmlog_block_record);
	writer->record_size[STMLOG_SECTION_PLACES] = sizeof(struct stmlog_place_record);
	writer->record_size[STMLOG_SECTION_EVENTS] = sizeof(struct stmlog_event_record);
	writer->record_size[STMLOG_SECTION_PATHS] = sizeof(struct stmlog_path_record);
	writer->record_size[STMLOG_SECTION_TRANSACTIONS] = sizeof(struct stmlog_transaction_record);
	writer->record_size[STMLOG_SECTION_BLOCKED] = sizeof(struct stmlog_blocked_record);
	writer->record_size[STMLOG_SECTION_OPEN] = sizeof(struct stmlog_open_record);
	writer->record_size[STMLOG_SECTION_GREEN] = sizeof(struct stmlog_green_record);
	writer->record_size[STMLOG_SECTION_OWN_WORK] = sizeof(struct stmlog_own_work_record);
	writer->record_size[STMLOG_SECTION_PROCESSES] = sizeof(struct stmlog_process_record);
	writer->record_size[STMLOG_SECTION_LABELS] = sizeof(struct stmlog_label_record);
	writer_append(writer, STMLOG_SECTION_STRINGS, "", 1);
}

void writer_fini(struct writer *writer)
{
	for (uint32_t type = 0; type <= STMLOG_SECTION_END; type++)
		free(writer->sections[type].bytes);
	memset(writer, 0, sizeof *writer);
}

void writer_append(struct writer *writer, uint32_t section, const void *bytes, size_t len)
{
	writer->has[section] = 1;
	append(&writer->sections[section], bytes, len);
}

void writer_info(struct writer *writer, const char *line)
{
	writer_append(writer, STMLOG_SECTION_INFO, line, strlen(line) + 1);
}

uint32_t writer_string(struct writer *writer, const char *text)
{
	if (text[0] == '\0')
		return 0;
	uint32_t at = (uint32_t)writer->sections[STMLOG_SECTION_STRINGS].len;
	writer_append(writer, STMLOG_SECTION_STRINGS, text, strlen(text) + 1);
	return at;
}

/* Appends a record, filled up to the section's record size as a later version would; returns its ordinal. */
static uint32_t append_record(struct writer *writer, uint32_t section, const void *record, size_t size)
{
	size_t stride = writer->record_size[section];
	uint32_t ordinal = (uint32_t)(writer->sections[section].len / stride);
	writer_append(writer, section, record, size);
	for (; size < stride; size++)
		writer_append(writer, section, "\xa5", 1);
	return ordinal;
}

uint32_t writer_module(struct writer *writer, const struct stmlog_module_record *module)
{
	return append_record(writer, STMLOG_SECTION_MODULES, module, sizeof *module);
}

uint32_t writer_site(struct writer *writer, const struct stmlog_site_record *site)
{
	return append_record(writer, STMLOG_SECTION_SITES, site, sizeof *site);
}

uint32_t writer_place(struct writer *writer, const char *function, const char *file, uint32_t line)
{
	struct stmlog_site_record site = {
		.kind = STMLOG_SITE_PLACE, .module = STMLOG_NO_MODULE, .code = 1, .line = line};
	site.function = writer_string(writer, function);
	site.file = writer_string(writer, file);
	return writer_site(writer, &site);
}

uint32_t writer_address(struct writer *writer, uint32_t module, uint64_t address)
{
	struct stmlog_site_record site = {.kind = STMLOG_SITE_ADDRESS, .module = module, .position = address};
	return writer_site(writer, &site);
}

uint32_t writer_traceback(struct writer *writer, const uint32_t *sites, uint32_t len, uint32_t flags)
{
	uint32_t head[2] = {len, flags};
	writer_append(writer, STMLOG_SECTION_TRACEBACKS, head, sizeof head);
	writer_append(writer, STMLOG_SECTION_TRACEBACKS, sites, len * sizeof *sites);
	return 2 + writer->traceback_count++;
}

void writer_total(struct writer *writer, uint32_t reason, uint32_t contention, uint64_t count, uint64_t lost_ns)
{
	struct stmlog_total_record total = {reason, contention, count, lost_ns, (double)lost_ns, 0};
	append_record(writer, STMLOG_SECTION_TOTALS, &total, sizeof total);
}

static void estimate_as_measured(struct stmlog_thread_record *thread)
{
	thread->estimated_committed_ns = thread->committed_ns;
	memcpy(thread->estimated_aborted_ns, thread->aborted_ns, sizeof thread->aborted_ns);
	thread->estimated_aborted_data_ns = thread->aborted_data_ns;
	thread->estimated_paused_ns = thread->paused_ns;
	thread->estimated_waiting_inevitable_ns = thread->waiting_inevitable_ns;
	thread->estimated_waiting_none_ns = thread->waiting_none_ns;
	thread->estimated_other_ns = thread->other_ns;
}

void writer_thread(struct writer *writer, const struct stmlog_thread_record *thread)
{
	struct stmlog_thread_record record = *thread;
	if (record.estimated_committed_ns == 0)
		estimate_as_measured(&record);
	append_record(writer, STMLOG_SECTION_THREADS, &record, sizeof record);
}

void writer_entry(struct writer *writer, const struct stmlog_entry_record *entry)
{
	struct stmlog_entry_record record = *entry;
	if (!(record.estimated_ns > 0))
		record.estimated_ns = (double)record.lost_ns;
	if (record.site == 0)
		record.site = STMLOG_NO_SITE;
	append_record(writer, STMLOG_SECTION_ENTRIES, &record, sizeof record);
}

#define WRITE_RECORDS(name, type, section)                                                     \
	void writer_##name(struct writer *writer, const struct stmlog_##type##_record *record) \
	{                                                                                      \
		append_record(writer, STMLOG_SECTION_##section, record, sizeof *record);       \
	}
WRITE_RECORDS(block, block, BLOCKS)
WRITE_RECORDS(event_place, place, PLACES)
WRITE_RECORDS(event, event, EVENTS)
WRITE_RECORDS(path, path, PATHS)
WRITE_RECORDS(blocked, blocked, BLOCKED)
WRITE_RECORDS(open, open, OPEN)
WRITE_RECORDS(green, green, GREEN)
WRITE_RECORDS(own_work, own_work, OWN_WORK)
WRITE_RECORDS(process, process, PROCESSES)
WRITE_RECORDS(label, label, LABELS)
WRITE_RECORDS(transaction, transaction, TRANSACTIONS)

static void append_section(
	struct writer_blob *file, uint32_t type, uint32_t record_size, const struct writer_blob *payload)
{
	static const uint8_t zeros[8];
	struct stmlog_section_header header = {
		type, record_size, payload->len, crc_of(payload->bytes, payload->len), 0};
	writer_mend_header((uint8_t *)&header);
	append(file, &header, sizeof header);
	append(file, payload->bytes, payload->len);
	append(file, zeros, -payload->len & 7u);
}

/* Whether one of the totals is of what was evicted. */
static bool has_evicted(const struct writer *writer)
{
	const struct writer_blob *totals = &writer->sections[STMLOG_SECTION_TOTALS];
	size_t size = writer->record_size[STMLOG_SECTION_TOTALS];
	uint32_t reason = 0;
	for (size_t at = 0; at + size <= totals->len && reason != UINT32_MAX; at += size)
		memcpy(&reason, totals->bytes + at, sizeof reason);
	return reason == UINT32_MAX;
}

struct writer_blob writer_file(struct writer *writer)
{
	struct writer_blob file = {NULL, 0, 0};
	struct stmlog_file_header header = {.version = STMLOG_FILE_VERSION, .header_size = sizeof header};
	memcpy(header.magic, STMLOG_FILE_MAGIC, sizeof header.magic);
	append(&file, &header, sizeof header);
	if (!has_evicted(writer) && writer->has[STMLOG_SECTION_TOTALS])
		writer_total(writer, UINT32_MAX, UINT32_MAX, 0, 0);
	for (uint32_t type = 0; type <= STMLOG_SECTION_END; type++) {
		if (writer->has[type])
			append_section(&file, type, writer->record_size[type], &writer->sections[type]);
	}
	return file;
}

void writer_save_bytes(const void *bytes, size_t len, const char *path)
{
	FILE *out = fopen(path, "wb");
	assert(out != NULL);
	size_t written = len > 0 ? fwrite(bytes, 1, len, out) : 0;
	assert(written == len);
	(void)written;
	fclose(out);
}

void writer_save(struct writer *writer, const char *path)
{
	struct writer_blob file = writer_file(writer);
	writer_save_bytes(file.bytes, file.len, path);
	free(file.bytes);
}

void writer_mend_header(uint8_t *header)
{
	uint32_t crc = crc_of(header, offsetof(struct stmlog_section_header, header_crc));
	memcpy(header + offsetof(struct stmlog_section_header, header_crc), &crc, sizeof crc);
}

void writer_mend_checksums(struct writer_blob *file)
{
	size_t at = sizeof(struct stmlog_file_header);
	struct stmlog_section_header header;
	while (file->len - at >= sizeof header) {
		memcpy(&header, file->bytes + at, sizeof header);
		size_t left = file->len - at - sizeof header;
		if (header.length > left)
			return;
		header.payload_crc = crc_of(file->bytes + at + sizeof header, header.length);
		memcpy(file->bytes + at, &header, sizeof header);
		writer_mend_header(file->bytes + at);
		size_t padded = (header.length + 7) & ~(uint64_t)7;
		if (padded > left)
			return;
		at += sizeof header + padded;
	}
}
