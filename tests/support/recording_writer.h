/* SPDX-License-Identifier: MIT
 * Builds recording files for tests, from records, by the letter of format.h: a second writer beside the library's,
 * with a checksum of its own, so that reader and writer cannot share a mistake. */
#ifndef RECORDING_WRITER_H
#define RECORDING_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include <stmlog/format.h>

struct writer_blob {
	uint8_t *bytes;
	size_t len;
	size_t cap; /* above len */
};

struct writer {
	struct writer_blob sections[STMLOG_SECTION_END + 1]; /* payloads by type */
	uint32_t record_size[STMLOG_SECTION_END + 1];
	uint8_t has[STMLOG_SECTION_END + 1]; /* 0: the section is left out */
	uint32_t traceback_count;
};

/* All sections that every file has, empty. */
void writer_init(struct writer *writer);
void writer_fini(struct writer *writer);

void writer_append(struct writer *writer, uint32_t section, const void *bytes, size_t len);

/* "key=value" */
void writer_info(struct writer *writer, const char *line);

/* Each returns the reference that records use. */
uint32_t writer_string(struct writer *writer, const char *text);
uint32_t writer_module(struct writer *writer, const struct stmlog_module_record *module);
uint32_t writer_site(struct writer *writer, const struct stmlog_site_record *site);
uint32_t writer_place(struct writer *writer, const char *function, const char *file, uint32_t line);
uint32_t writer_address(struct writer *writer, uint32_t module, uint64_t address);
uint32_t writer_traceback(struct writer *writer, const uint32_t *sites, uint32_t len, uint32_t flags);

/* Where no estimate is given it is what was measured. An entry's site 0 becomes STMLOG_NO_SITE. */
void writer_total(struct writer *writer, uint32_t reason, uint32_t contention, uint64_t count, uint64_t lost_ns);
void writer_thread(struct writer *writer, const struct stmlog_thread_record *thread);
void writer_entry(struct writer *writer, const struct stmlog_entry_record *entry);
void writer_block(struct writer *writer, const struct stmlog_block_record *block);
void writer_event_place(struct writer *writer, const struct stmlog_place_record *place);
void writer_event(struct writer *writer, const struct stmlog_event_record *event);
void writer_path(struct writer *writer, const struct stmlog_path_record *path);
void writer_blocked(struct writer *writer, const struct stmlog_blocked_record *blocked);
void writer_green(struct writer *writer, const struct stmlog_green_record *green);
void writer_own_work(struct writer *writer, const struct stmlog_own_work_record *work);
void writer_label(struct writer *writer, const struct stmlog_label_record *label);
void writer_process(struct writer *writer, const struct stmlog_process_record *process);
void writer_open(struct writer *writer, const struct stmlog_open_record *open);

void writer_transaction(struct writer *writer, const struct stmlog_transaction_record *transaction);

/* The file, with a total of what was evicted: nothing, where the test has not said. The caller frees it. */
struct writer_blob writer_file(struct writer *writer);
void writer_save(struct writer *writer, const char *path);
void writer_save_bytes(const void *bytes, size_t len, const char *path);

/* Makes the checksums of a file right again after its bytes were changed, as far as its sections can be followed. */
void writer_mend_checksums(struct writer_blob *file);

/* Makes only the checksum of the section header at `header` right, whatever it claims. */
void writer_mend_header(uint8_t *header);

#endif
